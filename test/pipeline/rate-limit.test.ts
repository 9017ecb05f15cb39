import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';

const LIST = '/api/v1/organizations';
const NOW = '2030-01-01T00:00:00Z';

const limit = (control: Agent, rate_limit: object | null) =>
  control.patch('/state/settings/settings').send({ rate_limit });
const advance = (control: Agent, by: string) => control.post('/clock/advance').send({ by }).expect(200);

async function statuses(api: Agent, times: number): Promise<number[]> {
  const seen = [];
  for (let i = 0; i < times; i += 1) seen.push((await api.get(LIST)).status);
  return seen;
}

describe('the rate limit of an environment', () => {
  it('is off by default', async () => {
    const { control } = await boot();

    const { body } = await control.get('/state/settings/settings').expect(200);

    expect(body).not.toHaveProperty('rate_limit');
  });

  it('refuses calls beyond the limit until the window ends by the clock', async () => {
    const { api, control } = await boot({ now: NOW });
    await limit(control, { requests: 2, per: '1m' }).expect(200);

    const seen = await statuses(api, 3);
    await advance(control, '59s');
    seen.push(...(await statuses(api, 1)));
    await advance(control, '1s');
    seen.push(...(await statuses(api, 3)));

    expect(seen).toEqual([200, 200, 429, 429, 200, 200, 429]);
  });

  it('answers RATE_LIMITED without Retry-After and is recorded in the journal', async () => {
    const { api, control } = await boot({ now: NOW });
    await limit(control, { requests: 1, per: '1m' }).expect(200);
    await api.get(LIST).expect(200);

    const refused = await api.get(LIST).expect(429);

    expect(refused.body).toMatchObject({
      code: 8,
      message: 'more than 1 requests in 1m',
      details: [{ error_code: 'RATE_LIMITED' }],
    });
    expect(refused.headers).not.toHaveProperty('retry-after');
    const { body } = await control.get(`/requests/${refused.headers['understudy-request-id']}`).expect(200);
    expect(body).toMatchObject({ status: 429, operation: 'OrganizationService_ListOrganization' });
  });

  it('answers Retry-After in seconds, rounded up, when the settings enable it', async () => {
    const { api, control } = await boot({ now: NOW });
    await limit(control, { requests: 1, per: '1m', retry_after: true }).expect(200);
    await api.get(LIST).expect(200);
    await advance(control, '500ms');

    const refused = await api.get(LIST).expect(429);

    expect(refused.headers['retry-after']).toBe('60');
  });

  it('answers an OAuth error at the token endpoint', async () => {
    const { anonymous, api, control } = await boot({ now: NOW });
    await limit(control, { requests: 1, per: '1m' }).expect(200);
    await api.get(LIST).expect(200);

    const refused = await anonymous
      .post('/oauth/token')
      .type('form')
      .send({ grant_type: 'client_credentials' });

    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  });

  it('does not count calls without a valid token, and refused calls do not count for scenario rules', async () => {
    const { api, anonymous, control } = await boot({ now: NOW });
    const rule = { on: 'OrganizationService_ListOrganization', times: 1, reply: { error: 'unavailable' } };
    await limit(control, { requests: 1, per: '1m' }).expect(200);
    await anonymous.get(LIST).expect(401);
    await api.get(LIST).expect(200);
    await control
      .post('/scenarios')
      .send({ name: 'outage', rules: [rule] })
      .expect(201);

    const seen = await statuses(api, 1);
    await advance(control, '1m');
    seen.push(...(await statuses(api, 2)));

    expect(seen).toEqual([429, 503, 429]);
  });

  it('starts a new window when the clock is set back, and is off after it is removed', async () => {
    const { api, control } = await boot({ now: NOW });
    await limit(control, { requests: 1, per: '1h' }).expect(200);
    const seen = await statuses(api, 2);

    await control.put('/clock').send({ mode: 'frozen', at: '2029-12-31T23:30:00Z' }).expect(200);
    seen.push(...(await statuses(api, 2)));
    await limit(control, null).expect(200);
    seen.push(...(await statuses(api, 2)));

    expect(seen).toEqual([200, 429, 200, 429, 200, 200]);
  });

  it('belongs to one environment, is cleared by a reset and restored with a snapshot', async () => {
    const { api, environment } = await boot({ now: NOW });
    const red = await environment('red', { clock: { mode: 'frozen', at: NOW } });
    await limit(red.control, { requests: 1, per: '1m' }).expect(200);
    await red.control.post('/snapshots').send({ name: 'unused' }).expect(201);
    const seen = await statuses(red.api, 2);
    await red.control.post('/snapshots').send({ name: 'used-up' }).expect(201);

    await red.control.post('/snapshots/unused/restore').expect(204);
    seen.push(...(await statuses(red.api, 1)));
    await red.control.post('/snapshots/used-up/restore').expect(204);
    seen.push(...(await statuses(red.api, 1)));
    await red.control.post('/reset').expect(204);
    seen.push(...(await statuses(red.api, 2)));

    expect(seen).toEqual([200, 429, 200, 429, 200, 200]);
    expect(await statuses(api, 3)).toEqual([200, 200, 200]);
  });

  it('can be set by a scenario', async () => {
    const { api, control } = await boot({ now: NOW });
    const set = { rate_limit: { requests: 1, per: '10s' } };
    const state = { settings: [{ match: { id: 'settings' }, set }] };
    await control.post('/scenarios').send({ name: 'tight', state }).expect(201);

    expect(await statuses(api, 2)).toEqual([200, 429]);
  });

  it.each([
    ['zero requests', { requests: 0, per: '1m' }],
    ['a limit without a window', { requests: 1 }],
    ['a window of zero seconds', { requests: 1, per: '0s' }],
    ['a window that is not a duration', { requests: 1, per: '1 minute' }],
    ['a limit with an unknown member', { requests: 1, per: '1m', burst: 3 }],
  ])('is refused for %s', async (_, rate_limit) => {
    const { api, control } = await boot({ now: NOW });

    const refused = await limit(control, rate_limit).expect(400);

    expect(refused.body.message).toMatch(/^settings settings: rate_limit/);
    expect(await statuses(api, 2)).toEqual([200, 200]);
  });
});
