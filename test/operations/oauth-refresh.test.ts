import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { NOW, OWN, PORTAL, ask, refresh, tokensOf, verified } from './oauth-support.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

const INVALID = { status: 400, body: { error: 'invalid_grant', error_description: 'invalid refresh token' } };

/** Without a grace period, so that a second use is a reuse. */
const strictly = async () => {
  const booted = await boot({ now: NOW });
  await booted.control.post('/scenarios').send({ name: 'refresh-token-once' }).expect(201);
  return booted;
};

const sessionOf = async (booted: Booted, token: string) => {
  const { sid } = await verified(booted, token);
  const { body } = await booted.api.get(`/api/v1/sessions/${String(sid)}`).expect(200);
  return body as { session_id: string; last_active_at: string; idle_expires_at: string };
};

describe('OAuth_Token with a refresh token', () => {
  it('issues new tokens and a new refresh token', async () => {
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

  it('issues tokens with the current roles of the user', async () => {
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

  it('narrows the scopes of this access token only', async () => {
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

  it('extends the idle time of the session', async () => {
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

  it('revokes the access tokens of a refresh token that is used twice', async () => {
    const booted = await strictly();
    const first = await tokensOf(booted);
    const next = (await ask(booted.anonymous, refresh(first.refresh_token)).expect(200)).body;

    await ask(booted.anonymous, refresh(first.refresh_token)).expect(400);

    await booted.anonymous
      .get('/userinfo')
      .set({ authorization: `Bearer ${next.access_token}` })
      .expect(401);
  });

  it('refuses a reused refresh token and its successors', async () => {
    const booted = await strictly();
    const { refresh_token } = await tokensOf(booted);
    const other = await tokensOf(booted);
    const { body } = await ask(booted.anonymous, refresh(refresh_token)).expect(200);

    expect(await ask(booted.anonymous, refresh(refresh_token))).toMatchObject(INVALID);

    expect(await ask(booted.anonymous, refresh(body.refresh_token))).toMatchObject(INVALID);
    await ask(booted.anonymous, refresh(other.refresh_token)).expect(200);
  });

  describe('in the grace period', () => {
    const withGrace = async () => {
      const booted = await boot({ now: NOW });
      const { refresh_token } = await tokensOf(booted);
      const use = (token: string) => ask(booted.anonymous, refresh(token));
      const advance = (by: string) => booted.control.post('/clock/advance').send({ by }).expect(200);
      return { booted, refresh_token, use, advance };
    };

    it('gives each of several requests at the same moment tokens that work', async () => {
      const { booted, refresh_token, use } = await withGrace();

      const answers = await Promise.all([refresh_token, refresh_token, refresh_token].map(use));

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const tokens = answers.map(({ body }) => body as Record<'access_token' | 'refresh_token', string>);
      expect(new Set(tokens.map((each) => each.refresh_token)).size).toBe(3);
      for (const { access_token, refresh_token: next } of tokens) {
        const authorization = `Bearer ${access_token}`;
        await booted.anonymous.get('/userinfo').set({ authorization }).expect(200);
        await use(next).expect(200);
      }
    });

    it('counts from the first use, and ends every successor with a use after it', async () => {
      const { refresh_token, use, advance } = await withGrace();
      const first = await use(refresh_token).expect(200);
      await advance('9s');
      const second = await use(refresh_token).expect(200);
      await advance('1s');

      expect(await use(refresh_token)).toMatchObject(INVALID);

      for (const { body } of [first, second]) expect(await use(body.refresh_token)).toMatchObject(INVALID);
    });

    it('tells an introspection that the token is active', async () => {
      const { booted, refresh_token, use, advance } = await withGrace();
      const introspected = async () =>
        (
          await booted.anonymous
            .post('/oauth/introspect')
            .type('form')
            .send({ token: refresh_token, ...OWN })
        ).body.active as boolean;
      await use(refresh_token).expect(200);

      const within = await introspected();
      await advance('10s');

      expect([within, await introspected()]).toEqual([true, false]);
    });

    it('refuses a token that was revoked or whose session ended', async () => {
      const { booted, refresh_token, use } = await withGrace();
      const { body } = await use(refresh_token).expect(200);
      await booted.anonymous
        .post('/revoke')
        .type('form')
        .send({ token: body.refresh_token, ...OWN })
        .expect(200);

      expect(await use(refresh_token)).toMatchObject(INVALID);
    });

    it('accepts a token exactly until the grace period after its first use is over', async () => {
      const { booted, use } = await withGrace();
      const cases = fc.record({ grace: fc.nat({ max: 60 }), later: fc.nat({ max: 70 }) });

      await fc.assert(
        fc.asyncProperty(cases, async ({ grace, later }) => {
          const settings = { refresh_token_grace_period: grace };
          await booted.control.patch('/state/settings/settings').send(settings).expect(200);
          const { refresh_token } = await tokensOf(booted);
          await use(refresh_token).expect(200);
          if (later > 0)
            await booted.control
              .post('/clock/advance')
              .send({ by: `${later}s` })
              .expect(200);

          expect((await use(refresh_token)).status).toBe(later < grace ? 200 : 400);
        }),
        {
          numRuns: 12,
          examples: [[{ grace: 0, later: 0 }], [{ grace: 5, later: 5 }], [{ grace: 5, later: 4 }]],
        },
      );
    });

    it.each([-1, 3601, 1.5, '10s'])('cannot be %s', async (refresh_token_grace_period) => {
      const { control } = await boot();

      const { body } = await control
        .patch('/state/settings/settings')
        .send({ refresh_token_grace_period })
        .expect(400);

      expect(JSON.stringify(body)).toContain('refresh_token_grace_period');
    });
  });

  const ends: [title: string, end: (booted: Booted, session: string) => Promise<unknown>, error: string][] = [
    [
      'a revoked session',
      async ({ api }, session) => api.post(`/api/v1/sessions/${session}/revoke`).expect(200),
      'invalid_grant',
    ],
    [
      'an expired session',
      async ({ control }) => control.post('/clock/advance').send({ by: '61m' }).expect(200),
      'invalid_grant',
    ],
    [
      'a user who has left the organization',
      async ({ control }) => control.delete('/state/memberships/mem_10000000000000001').expect(204),
      'invalid_grant',
    ],
    ['a deleted user', async ({ api }) => api.delete(`/api/v1/users/${ADA}`).expect(200), 'invalid_grant'],
    [
      'a deleted client',
      async ({ control }) => control.delete(`/state/clients/${OWN.client_id}`).expect(204),
      'invalid_client',
    ],
  ];

  it.each(ends)('refuses the refresh token for %s', async (_, end, error) => {
    const booted = await boot({ now: NOW });
    const { refresh_token, access_token } = await tokensOf(booted);
    const { session_id } = await sessionOf(booted, access_token);

    await end(booted, session_id);

    expect((await ask(booted.anonymous, refresh(refresh_token))).body).toMatchObject({ error });
  });

  it('keeps a refresh token valid after a failed request', async () => {
    const booted = await boot({ now: NOW });
    const { refresh_token } = await tokensOf(booted);
    const form = refresh(refresh_token);
    const failing = [
      { ...form, client_secret: 'wrong' },
      { ...form, ...PORTAL },
      { ...form, scope: 'openid invoices:read' },
    ];

    const answers = [];
    for (const each of failing) answers.push((await ask(booted.anonymous, each)).body.error);

    expect(answers).toEqual(['invalid_client', 'invalid_grant', 'invalid_scope']);
    await ask(booted.anonymous, form).expect(200);
  });

  it(
    'keeps at most one valid token of a family, however often old tokens are reused',
    { timeout: 120_000 },
    async () => {
      const booted = await strictly();
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
