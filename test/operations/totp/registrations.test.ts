import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { failure, invalid, notFound } from '../../support/violations.ts';
import { ADA } from '../../support/fixture-ids.ts';

const TOTP = '/api/v1/totp';
const FIXED = { now: '2030-01-01T00:00:10Z' };
const WRONG = '000000';

const precondition = (message: string) => failure(9, 'FAILED_PRECONDITION', message);

type Api = Pick<Booted, 'api' | 'control'>;

const register = async ({ api }: Api, owner: object = { user_id: ADA }) =>
  (await api.post(`${TOTP}/registration`).send(owner).expect(200)).body.totp_registration;

const codeOf = async ({ control }: Api, user = ADA, drift?: number): Promise<string> =>
  (
    await control
      .get('/totp')
      .query({ user, ...(drift !== undefined && { drift }) })
      .expect(200)
  ).body.code;

const advance = ({ control }: Api, by: string) => control.post('/clock/advance').send({ by }).expect(200);

const enable = ({ api }: Api, id: string, code: string) => api.post(`${TOTP}/${id}/enable`).send({ code });

const verify = async ({ api }: Api, code: string, user = ADA) =>
  (await api.post(`/api/v1/user/${user}/totp:verify`).send({ code })).body;

/** Ada has an enabled app, and its last code is old. */
async function enabled() {
  const booted = await boot(FIXED);
  const { id } = await register(booted);
  const { body } = await enable(booted, id, await codeOf(booted)).expect(200);
  await advance(booted, '10m');
  return { ...booted, id: id as string, backup_codes: body.backup_codes as string[] };
}

describe('TOTPService_RegisterTOTP', () => {
  it('makes a secret for a user', async () => {
    const booted = await boot(FIXED);

    const registration = await register(booted);

    expect(registration).toEqual({
      id: expect.stringMatching(/^totp_\d+$/),
      create_time: '2030-01-01T00:00:10.000Z',
      update_time: '2030-01-01T00:00:10.000Z',
      user_id: ADA,
      qr_code_uri: expect.stringMatching(
        /^otpauth:\/\/totp\/Scalekit:ada%40acme\.example\?secret=[A-Z2-7]{32}&issuer=Scalekit$/,
      ),
    });
  });

  it('makes a secret for an account that is no user, whose codes can be checked', async () => {
    const booted = await boot(FIXED);

    const { id, account_name, qr_code_uri } = await register(booted, { account_name: 'Build server' });
    await enable(booted, id, await codeOf(booted, 'Build server')).expect(200);

    expect([account_name, qr_code_uri]).toEqual([
      'Build server',
      expect.stringContaining(':Build%20server?'),
    ]);
    await advance(booted, '30s');
    const code = await codeOf(booted, id);
    const { body } = await booted.api.post(`${TOTP}/${id}/verify`).send({ code }).expect(200);
    expect(body).toEqual({ valid: true });
  });

  it('replaces a registration that was never enabled, and keeps one that is', async () => {
    const booted = await boot(FIXED);
    const first = await register(booted);
    const second = await register(booted);
    await enable(booted, second.id, await codeOf(booted)).expect(200);

    const gone = await enable(booted, first.id, WRONG).expect(404);
    const refused = await booted.api.post(`${TOTP}/registration`).send({ user_id: ADA }).expect(400);

    expect(gone.body).toEqual(notFound(`TOTP registration ${first.id} not found`));
    expect(refused.body).toEqual(
      precondition(`user ${ADA} has the enabled TOTP registration ${second.id}: disable it first`),
    );
  });

  it.each([
    [{}, 'user_id or account_name is required'],
    [{ user_id: ADA, account_name: 'x' }, 'user_id and account_name exclude each other'],
  ])('refuses %j', async (owner, message) => {
    const { api } = await boot();

    const { body } = await api.post(`${TOTP}/registration`).send(owner).expect(400);

    expect(body).toEqual(invalid(message));
  });

  it('refuses an unknown user', async () => {
    const { api } = await boot();

    const { body } = await api.post(`${TOTP}/registration`).send({ user_id: 'usr_1' }).expect(404);

    expect(body).toEqual(notFound('user usr_1 not found'));
  });
});

describe('TOTPService_EnableTOTP', () => {
  it('gives backup codes for the code of the app', async () => {
    const booted = await boot(FIXED);
    const { id } = await register(booted);

    const { body } = await enable(booted, id, await codeOf(booted)).expect(200);

    expect(body).toEqual({ id, backup_codes: Array(10).fill(expect.stringMatching(/^\d{4}-\d{4}$/)) });
    const again = await enable(booted, id, await codeOf(booted)).expect(400);
    expect(again.body).toEqual(precondition(`TOTP registration ${id} is enabled already`));
  });

  it('refuses a wrong code, and after five of them any code for ten minutes', async () => {
    const booted = await boot(FIXED);
    const { id } = await register(booted);

    for (let count = 0; count < 5; count += 1)
      expect((await enable(booted, id, WRONG).expect(400)).body).toEqual(invalid('code is wrong'));
    const locked = await enable(booted, id, await codeOf(booted)).expect(429);
    await advance(booted, '10m');
    await enable(booted, id, await codeOf(booted)).expect(200);

    expect(locked.body.message).toBe('too many wrong codes: wait ten minutes');
  });

  it('takes the code that was verified before', async () => {
    const booted = await boot(FIXED);
    const { id } = await register(booted);
    const code = await codeOf(booted);

    const { body } = await booted.api.post(`${TOTP}/${id}/verify`).send({ code }).expect(200);

    expect(body).toEqual({ valid: true });
    await enable(booted, id, code).expect(200);
  });
});

describe('TOTPService_DisableTOTP', () => {
  it('disables the app with a code, after which the user can register another', async () => {
    const booted = await enabled();
    const { api, id } = booted;

    const { body } = await api
      .post(`${TOTP}/${id}/disable`)
      .send({ code: await codeOf(booted) })
      .expect(200);

    expect(body).toEqual({});
    expect(await verify(booted, WRONG)).toEqual(precondition(`user ${ADA} has no enabled authenticator app`));
    const off = await api.post(`${TOTP}/${id}/verify`).send({ code: WRONG }).expect(400);
    expect(off.body).toEqual(precondition(`TOTP registration ${id} is disabled`));
    const again = await api.post(`${TOTP}/${id}/disable`).send({ code: WRONG }).expect(400);
    expect(again.body).toEqual(precondition(`TOTP registration ${id} is not enabled`));
    await register(booted);
  });

  it('disables the app with a backup code, and refuses a wrong one', async () => {
    const { api, id, backup_codes } = await enabled();

    const wrong = await api.post(`${TOTP}/${id}/disable`).send({ code: WRONG }).expect(400);
    await api.post(`${TOTP}/${id}/disable`).send({ code: backup_codes[3] }).expect(200);

    expect(wrong.body).toEqual(invalid('code is wrong'));
  });
});

describe('TOTPService_VerifyUserCode', () => {
  it('takes a code once', async () => {
    const booted = await enabled();
    const code = await codeOf(booted);

    expect(await verify(booted, code)).toEqual({ valid: true });
    expect(await verify(booted, code)).toEqual({ valid: false });
    const next = await codeOf(booted);
    expect(next).not.toBe(code);
    expect(await verify(booted, ` ${next.slice(0, 3)} ${next.slice(3)} `)).toEqual({ valid: true });
  });

  it('takes no code before the one that was used', async () => {
    const booted = await enabled();

    expect(await verify(booted, await codeOf(booted, ADA, 0))).toEqual({ valid: true });
    expect(await verify(booted, await codeOf(booted, ADA, -30))).toEqual({ valid: false });
  });

  it.each([
    [30, true],
    [-30, true],
    [60, false],
    [-60, false],
  ])('answers to the code of a clock that is %i seconds ahead: valid is %s', async (drift, valid) => {
    const booted = await enabled();

    expect(await verify(booted, await codeOf(booted, ADA, drift))).toEqual({ valid });
  });

  it('takes a backup code once, with or without the dash', async () => {
    const booted = await enabled();
    const [first = '', second = ''] = booted.backup_codes;

    expect(await verify(booted, first)).toEqual({ valid: true });
    expect(await verify(booted, first)).toEqual({ valid: false });
    expect(await verify(booted, second.replace('-', ''))).toEqual({ valid: true });
  });

  it('counts wrong codes, and forgets them after a right one', async () => {
    const booted = await enabled();
    const wrong = async (times: number) => {
      for (let count = 0; count < times; count += 1)
        expect(await verify(booted, WRONG)).toEqual({ valid: false });
    };

    await wrong(4);
    expect(await verify(booted, await codeOf(booted))).toEqual({ valid: true });
    await wrong(5);

    expect(await verify(booted, await codeOf(booted))).toMatchObject({
      code: 8,
      message: 'too many wrong codes: wait ten minutes',
    });
  });

  it('refuses unknown users, users without an app, and empty codes', async () => {
    const booted = await boot();

    expect(await verify(booted, WRONG, 'usr_1')).toEqual(notFound('user usr_1 not found'));
    expect(await verify(booted, WRONG)).toEqual(precondition(`user ${ADA} has no enabled authenticator app`));
    expect((await verify(booted, '')).code).toBe(3);
  });
});
