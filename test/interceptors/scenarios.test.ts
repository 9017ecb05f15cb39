import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';
import { askForToken, claimsIn, intercept, latest, TRIGGER } from './support.ts';

const load = (control: Agent, scenario: object) => control.post('/scenarios').send(scenario).expect(201);
const rule = (what: object) => ({ name: 'test', rules: [{ on: `interceptor.${TRIGGER}`, ...what }] });

describe('scenario interceptor-denies', () => {
  it('denies without a configured interceptor and creates none', async () => {
    const { anonymous, control } = await boot();
    const params = { trigger_point: TRIGGER, message: 'not today', times: 1 };
    const before = (await control.get('/state/interceptors').expect(200)).body;
    await load(control, { name: 'interceptor-denies', params });

    const { body } = await askForToken({ anonymous }).expect(403);
    await askForToken({ anonymous }).expect(200);
    await control.delete('/scenarios/interceptor-denies').expect(204);

    expect(body).toEqual({ error: 'access_denied', error_description: 'not today' });
    expect((await control.get('/state/interceptors').expect(200)).body).toEqual(before);
  });
});

describe('scenario interceptor-unreachable', () => {
  it.each([
    ['FAIL_OPEN', 200],
    ['FAIL_CLOSED', 403],
  ])('applies the failure policy %s', async (failure_policy, status) => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver();
    await intercept(api, { api_url: interceptor.url, failure_policy });
    await load(control, { name: 'interceptor-unreachable' });

    await askForToken({ anonymous }).expect(status);

    expect(interceptor.received).toEqual([]);
    expect((await latest(control)).interceptors).toMatchObject([
      { policy: failure_policy, scenario: { name: 'interceptor-unreachable', rule: 0 } },
    ]);
  });
});

describe('a scenario rule for an interceptor', () => {
  it('patches the response of the interceptor', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver({ decision: 'ALLOW', response: { claims: { tier: 'gold' } } });
    await intercept(api, { api_url: interceptor.url });
    await load(control, rule({ patch: { response: { claims: { tier: 'lead' } } } }));

    expect(claimsIn(await askForToken({ anonymous }).expect(200))).toMatchObject({
      custom_claims: { tier: 'lead' },
    });
    expect(interceptor.received).toHaveLength(1);
  });

  it('can delay the interceptor beyond its timeout', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver();
    await intercept(api, { api_url: interceptor.url, timeout_ms: '100' });
    await load(control, rule({ fault: { delay: '1h' } }));

    await askForToken({ anonymous }).expect(403);

    expect((await latest(control)).interceptors[0].error).toContain('did not answer within 100 ms');
  });

  it('can reply against the contract when the rule declares it', async () => {
    const { api, anonymous, control } = await boot();
    const interceptor = await receiver();
    await intercept(api, { api_url: interceptor.url, failure_policy: 'FAIL_OPEN' });
    const reply = { status: 200, body: { decision: 'PERHAPS' } };
    await control.post('/scenarios').send(rule({ reply })).expect(400);
    await load(control, rule({ reply: { ...reply, contract: 'violated' } }));

    await askForToken({ anonymous }).expect(200);

    expect((await latest(control)).interceptors[0].error).toContain('breaks the contract');
  });
});
