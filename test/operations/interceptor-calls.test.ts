import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';
import { askForToken, claimsIn, CLIENT, FIXED, intercept, latest, TRIGGER } from './interceptor-support.ts';

const NOON = '2030-01-01T12:00:00.000Z';

describe('interceptor.PRE_M2M_TOKEN_CREATION', () => {
  it('is told what the token would be', async () => {
    const { api, anonymous } = await boot({ now: NOON });
    const gate = await receiver();
    await intercept(api, { api_url: gate.url });

    await askForToken({ anonymous }).set({ 'user-agent': 'Mozilla/5.0 (Windows NT 10.0)' }).expect(200);

    const { client_id } = CLIENT;
    expect(gate.received).toHaveLength(1);
    expect(gate.received[0]).toMatchObject({ method: 'POST', path: '/asked' });
    expect(gate.received[0]!.body).toEqual({
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

  it('denies the token with its own words, and nothing has happened', async () => {
    const { api, anonymous, control } = await boot();
    const gate = await receiver({ decision: 'DENY', error: { code: 'NIGHT', message: 'not at night' } });
    await intercept(api, { api_url: gate.url });
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
    'denies it with a fixed sentence where it says no more than %j',
    async (said) => {
      const { api, anonymous } = await boot();
      const gate = await receiver({ decision: 'DENY', ...said });
      await intercept(api, { api_url: gate.url });

      const { body } = await askForToken({ anonymous }).expect(403);

      expect(body).toEqual({ error: 'access_denied', error_description: FIXED });
    },
  );

  it('sets scope, audience and claims of its own', async () => {
    const { api, anonymous } = await boot();
    const claims = {
      scope: 'read write',
      aud: 'https://api.example.com',
      tier: 'gold',
      custom_claims: { n: 1 },
    };
    const gate = await receiver({ decision: 'ALLOW', response: { claims } });
    await intercept(api, { api_url: gate.url });

    const given = await askForToken({ anonymous }).expect(200);

    expect(given.body.scope).toBe('read write');
    expect(claimsIn(given)).toMatchObject({
      scope: 'read write',
      scopes: ['read', 'write'],
      aud: ['https://api.example.com'],
      custom_claims: { tier: 'gold', n: 1 },
      sub: CLIENT.client_id,
    });
  });
});
