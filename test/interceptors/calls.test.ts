import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';
import { askForToken, claimsIn, CLIENT, FIXED, intercept, latest, TRIGGER } from './support.ts';

const NOON = '2030-01-01T12:00:00.000Z';

describe('interceptor.PRE_M2M_TOKEN_CREATION', () => {
  it('receives the claims of the future token', async () => {
    const { api, anonymous } = await boot({ now: NOON });
    const interceptor = await receiver();
    await intercept(api, { api_url: interceptor.url });

    await askForToken({ anonymous }).set({ 'user-agent': 'Mozilla/5.0 (Windows NT 10.0)' }).expect(200);

    const { client_id } = CLIENT;
    expect(interceptor.received).toHaveLength(1);
    expect(interceptor.received[0]).toMatchObject({ method: 'POST', path: '/asked' });
    expect(interceptor.received[0]!.body).toEqual({
      display_name: 'Gate',
      trigger_point: TRIGGER,
      interceptor_context: {
        environment_id: 'env_10000000000000001',
        client_id,
        user_agent: 'Mozilla/5.0 (Windows NT 10.0)',
        device_type: 'Desktop',
        triggered_at: NOON,
      },
      data: {
        m2m_token_claims: {
          client_id,
          claims: {
            custom_claims: {},
            oid: 'org_10000000000000001',
            scope: 'invoices:read',
            scopes: ['invoices:read'],
          },
        },
      },
    });
  });

  it('denies the token with its own message and changes no state', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver({
      decision: 'DENY',
      error: { code: 'NIGHT', message: 'not at night' },
    });
    await intercept(api, { api_url: interceptor.url });
    const { body: before } = await control.get('/state/hash').expect(200);

    const { body } = await askForToken({ anonymous }).expect(403);

    expect(body).toEqual({ error: 'access_denied', error_description: 'not at night' });
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before);
    expect(await latest(control)).toMatchObject({
      changes: [],
      interceptors: [{ decision: 'DENY', status: 200, response: { body: { decision: 'DENY' } } }],
    });
  });

  it.each([{}, { error: null }, { error: {} }, { error: { message: '' } }, { error: { message: null } }])(
    'denies the token with the default message for an error of %j',
    async (answer) => {
      const { api, anonymous } = await boot();
      const interceptor = await receiver({ decision: 'DENY', ...answer });
      await intercept(api, { api_url: interceptor.url });

      const { body } = await askForToken({ anonymous }).expect(403);

      expect(body).toEqual({ error: 'access_denied', error_description: FIXED });
    },
  );

  it('can set scope, audience and claims of the token', async () => {
    const { api, anonymous } = await boot();
    const claims = {
      scope: 'read write',
      aud: 'https://api.example.com',
      tier: 'gold',
      custom_claims: { n: 1 },
    };
    const interceptor = await receiver({ decision: 'ALLOW', response: { claims } });
    await intercept(api, { api_url: interceptor.url });

    const response = await askForToken({ anonymous }).expect(200);

    expect(response.body.scope).toBe('read write');
    expect(claimsIn(response)).toMatchObject({
      scope: 'read write',
      scopes: ['read', 'write'],
      aud: ['https://api.example.com'],
      custom_claims: { tier: 'gold', n: 1 },
      sub: CLIENT.client_id,
    });
  });
});
