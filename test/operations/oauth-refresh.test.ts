import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { ACME, ADA, NOW, OWN, PORTAL, ask, refresh, tokensOf, verified } from './oauth-support.ts';

const INVALID = { status: 400, body: { error: 'invalid_grant', error_description: 'invalid refresh token' } };

const sessionOf = async (booted: Booted, token: string) => {
  const { sid } = await verified(booted, token);
  const { body } = await booted.api.get(`/api/v1/sessions/${String(sid)}`).expect(200);
  return body as { session_id: string; last_active_at: string; idle_expires_at: string };
};

describe('OAuth_Token for a refresh token', () => {
  it('gives new tokens, and the next refresh token', async () => {
    const booted = await boot({ now: NOW });
    const first = await tokensOf(booted, { nonce: 'n-1' });

    const { body } = await ask(booted.anonymous, refresh(first.refresh_token)).expect(200);

    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 299 });
    expect(body.refresh_token).not.toBe(first.refresh_token);
    const [before, after] = [
      await verified(booted, first.access_token),
      await verified(booted, body.access_token),
    ];
    expect({ ...after, jti: '' }).toEqual({ ...before, jti: '' });
    expect(after.jti).not.toBe(before.jti);
    const id = await verified(booted, body.id_token);
    expect(id).toMatchObject({ sub: ADA, email: 'ada@acme.example' });
    for (const name of ['nonce', 'c_hash']) expect(id).not.toHaveProperty(name);
  });

  it('says what the user may do by now', async () => {
    const booted = await boot({ now: NOW });
    const { refresh_token } = await tokensOf(booted);
    const memberships = `/api/v1/memberships/organizations/${ACME}/users/${ADA}`;
    await booted.api
      .patch(memberships)
      .send({ roles: [{ name: 'member' }] })
      .expect(200);

    const { body } = await ask(booted.anonymous, refresh(refresh_token)).expect(200);

    expect(await verified(booted, body.access_token)).toMatchObject({ roles: ['member'] });
  });

  it('gives fewer scopes where fewer are asked for, and keeps the others for the next time', async () => {
    const booted = await boot({ now: NOW });
    const { refresh_token } = await tokensOf(booted);

    const fewer = await ask(booted.anonymous, { ...refresh(refresh_token), scope: 'openid email' }).expect(
      200,
    );
    const all = await ask(booted.anonymous, refresh(fewer.body.refresh_token)).expect(200);

    expect(fewer.body.scope).toBe('openid email');
    expect(await verified(booted, fewer.body.access_token)).toMatchObject({ scopes: ['openid', 'email'] });
    expect(all.body.scope).toBe('openid profile email offline_access');
  });

  it('keeps the session alive', async () => {
    const booted = await boot({ now: NOW });
    const { refresh_token, access_token } = await tokensOf(booted);
    const before = await sessionOf(booted, access_token);
    await booted.control.post('/clock/advance').send({ by: '50m' }).expect(200);

    const { body } = await ask(booted.anonymous, refresh(refresh_token)).expect(200);

    const after = await sessionOf(booted, access_token);
    expect(after.last_active_at).toBe('2030-01-01T00:50:00.000Z');
    expect(Date.parse(after.idle_expires_at) - Date.parse(before.idle_expires_at)).toBe(50 * 60_000);
    await booted.control.post('/clock/advance').send({ by: '50m' }).expect(200);
    await ask(booted.anonymous, refresh(body.refresh_token)).expect(200);
  });

  it('ends the access tokens too that came of a token that is sent again', async () => {
    const booted = await boot();
    const first = await tokensOf(booted);
    const next = (await ask(booted.anonymous, refresh(first.refresh_token)).expect(200)).body;

    await ask(booted.anonymous, refresh(first.refresh_token)).expect(400);

    await booted.anonymous
      .get('/userinfo')
      .set({ authorization: `Bearer ${next.access_token}` })
      .expect(401);
  });

  it('refuses a token that comes again, and all that came of it', async () => {
    const booted = await boot({ now: NOW });
    const { refresh_token } = await tokensOf(booted);
    const other = await tokensOf(booted);
    const { body } = await ask(booted.anonymous, refresh(refresh_token)).expect(200);

    expect(await ask(booted.anonymous, refresh(refresh_token))).toMatchObject(INVALID);

    expect(await ask(booted.anonymous, refresh(body.refresh_token))).toMatchObject(INVALID);
    await ask(booted.anonymous, refresh(other.refresh_token)).expect(200);
  });

  const ends: [title: string, end: (booted: Booted, session: string) => Promise<unknown>, error: string][] = [
    [
      'a session that was revoked',
      async ({ api }, session) => api.post(`/api/v1/sessions/${session}/revoke`).expect(200),
      'invalid_grant',
    ],
    [
      'a session that has expired',
      async ({ control }) => control.post('/clock/advance').send({ by: '61m' }).expect(200),
      'invalid_grant',
    ],
    [
      'a user who has left the organization',
      async ({ control }) => control.delete('/state/memberships/mem_10000000000000001').expect(204),
      'invalid_grant',
    ],
    [
      'a user who is gone',
      async ({ api }) => api.delete(`/api/v1/users/${ADA}`).expect(200),
      'invalid_grant',
    ],
    [
      'a client that is gone',
      async ({ control }) => control.delete(`/state/clients/${OWN.client_id}`).expect(204),
      'invalid_client',
    ],
  ];

  it.each(ends)('gives nothing for %s', async (_, end, error) => {
    const booted = await boot({ now: NOW });
    const { refresh_token, access_token } = await tokensOf(booted);
    const { session_id } = await sessionOf(booted, access_token);

    await end(booted, session_id);

    expect((await ask(booted.anonymous, refresh(refresh_token))).body).toMatchObject({ error });
  });

  it('spends nothing on a request that fails', async () => {
    const booted = await boot({ now: NOW });
    const { refresh_token } = await tokensOf(booted);
    const form = refresh(refresh_token);
    const vain = [
      { ...form, client_secret: 'wrong' },
      { ...form, ...PORTAL },
      { ...form, scope: 'openid invoices:read' },
    ];

    const answers = [];
    for (const each of vain) answers.push((await ask(booted.anonymous, each)).body.error);

    expect(answers).toEqual(['invalid_client', 'invalid_grant', 'invalid_scope']);
    await ask(booted.anonymous, form).expect(200);
  });

  it(
    'leaves one good token of a family, or none: however often old ones come again',
    { timeout: 120_000 },
    async () => {
      const booted = await boot({ now: NOW });
      const choices = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 });

      await fc.assert(
        fc.asyncProperty(choices, async (presented) => {
          const { refresh_token } = await tokensOf(booted);
          const family = [refresh_token];
          let dead = false;
          for (const back of presented) {
            const index = Math.max(0, family.length - 1 - back);
            const good = !dead && index === family.length - 1;
            const { status, body } = await ask(booted.anonymous, refresh(family[index]!));
            expect(status).toBe(good ? 200 : 400);
            if (good) family.push(body.refresh_token);
            else dead = true;
          }
        }),
        { numRuns: 12 },
      );
    },
  );
});
