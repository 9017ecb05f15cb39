import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { notFound } from '../support/violations.ts';
import { ADA } from '../support/fixture-ids.ts';

/** The key of RFC 6238, appendix B. */
const KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('Control_GetTotp', () => {
  it.each([
    ['1970-01-01T00:00:59Z', '287082'],
    ['2005-03-18T01:58:29Z', '081804'],
    ['2009-02-13T23:31:30Z', '005924'],
    ['2033-05-18T03:33:20Z', '279037'],
    ['2603-10-11T11:33:20Z', '353130'],
  ])('shows the code of RFC 6238 at %s', async (now, code) => {
    const { control } = await boot({ now });
    await control
      .put('/state/totp_registrations/totp_1')
      .send({ user_id: ADA, secret: KEY, create_time: now, update_time: now })
      .expect(200);

    const { body } = await control.get('/totp').query({ user: 'Ada@acme.example' }).expect(200);

    expect(body).toEqual({
      registration_id: 'totp_1',
      user_id: ADA,
      status: 'ENABLED',
      secret: KEY,
      qr_code_uri: `otpauth://totp/Scalekit:ada%40acme.example?secret=${KEY}&issuer=Scalekit`,
      backup_codes: [],
      code,
    });
  });

  it('reads the app of the fixture by the name of its account, and by its id', async () => {
    const { control } = await boot();

    const named = await control.get('/totp').query({ user: 'billing@acme.example' }).expect(200);
    const known = await control.get('/totp').query({ user: 'totp_10000000000000901' }).expect(200);

    expect(named.body).toMatchObject({ account_name: 'billing@acme.example', secret: known.body.secret });
  });

  it('refuses a user without an app', async () => {
    const { control } = await boot();

    const { body } = await control.get('/totp').query({ user: ADA }).expect(404);

    expect(body).toEqual(notFound(`authenticator app of ${ADA} not found`));
  });
});

describe('Control_EnrolTotp', () => {
  it('makes the same secret in an environment of the same name and seed', async () => {
    const secrets = [];
    for (const seed of [1, 1, 2]) {
      const { environment } = await boot();
      const twin = await environment('twin', { seed, clock: { mode: 'frozen', at: '2030-01-01T00:00:00Z' } });
      const { body } = await twin.control.post('/totp').send({ user: ADA }).expect(200);
      secrets.push(body.secret);
    }

    expect(secrets[1]).toBe(secrets[0]);
    expect(secrets[2]).not.toBe(secrets[0]);
  });

  it('refuses an unknown user', async () => {
    const { control } = await boot();

    const { body } = await control.post('/totp').send({ user: 'nobody@acme.example' }).expect(404);

    expect(body).toEqual(notFound('user nobody@acme.example not found'));
  });
});
