import { beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from 'understudy-server/control';
import { connectUnderstudy, startUnderstudy, type Understudy } from 'understudy-server/testing';
import { ACME } from '../support/fixture-ids.ts';

let sim: Understudy;

beforeAll(async () => {
  sim = await startUnderstudy();
  return () => sim.stop();
});

/** Options as plain JavaScript may pass them, without type checks. */
const wrong = (options: unknown) => options as object;

/** Every function with options: a misspelt option and the nearest valid one. */
const MISSPELT: [call: string, misspelt: string, right: string, make: (options: object) => unknown][] = [
  ['startUnderstudy', 'fail_on_unused_rules', 'failOnUnusedRules', (options) => startUnderstudy(options)],
  ['connectUnderstudy', 'timout', 'timeout', (options) => connectUnderstudy(sim.url, options)],
  ['ControlClient', 'enviroment', 'environment', (options) => new ControlClient(sim.url, options)],
  ['environment', 'fixtures', 'fixture', (options) => sim.environment(options)],
  ['environments.create', 'sed', 'seed', (options) => sim.control.environments.create(options)],
  ['webhooks.inbox', 'event_types', 'eventTypes', (options) => sim.webhooks.inbox(options)],
  [
    'webhooks.addEndpoint',
    'max_in_flight',
    'maxInFlight',
    (options) => sim.webhooks.addEndpoint('http://localhost:9/', options),
  ],
  [
    'webhooks.updateEndpoint',
    'enable',
    'enabled',
    (options) => sim.webhooks.updateEndpoint('whe_1', options),
  ],
  ['webhooks.rotateSecret', 'overlapp', 'overlap', (options) => sim.webhooks.rotateSecret('whe_1', options)],
  ['webhooks.deliveries.list', 'limits', 'limit', (options) => sim.webhooks.deliveries.list(options)],
  ['webhooks.deliveries.find', 'typo', 'type', (options) => sim.webhooks.deliveries.find(options)],
  ['webhooks.deliveries.wait', 'endpont', 'endpoint', (options) => sim.webhooks.deliveries.wait(options)],
  ['webhooks.deliveries.wait', 'timeOut', 'timeout', (options) => sim.webhooks.deliveries.wait({}, options)],
  ['webhooks.redeliver', 'time_out', 'timeout', (options) => sim.webhooks.redeliver('dlv_1', options)],
  ['webhooks.deliveries.clear', 'endpoints', 'endpoint', (options) => sim.webhooks.deliveries.clear(options)],
  ['requests.list', 'metod', 'method', (options) => sim.requests.list(options)],
  ['requests.wait', 'timeOut', 'timeout', (options) => sim.requests.wait({}, options)],
  ['requests.waitForCount', 'paht', 'path', (options) => sim.requests.waitForCount(2, options)],
  ['requests.verify', 'at_least', 'atLeast', (options) => sim.requests.verify({}, options)],
  [
    'webhooks.trigger',
    'organization_id',
    'organizationId',
    (options) => sim.webhooks.trigger('user.login', options),
  ],
  ['mail.list', 'kinds', 'kind', (options) => sim.mail.list(options)],
  ['mail.wait', 'sinse', 'since', (options) => sim.mail.wait(options)],
  ['outgoing.list', 'URL', 'url', (options) => sim.outgoing.list(options)],
  ['outgoing.wait', 'stauts', 'status', (options) => sim.outgoing.wait(options)],
  ['state.put', 'event', 'events', (options) => sim.state.put('organizations', ACME, {}, options)],
  ['state.patch', 'event', 'events', (options) => sim.state.patch('organizations', ACME, {}, options)],
  ['state.delete', 'event', 'events', (options) => sim.state.delete('organizations', ACME, options)],
  ['clock.set', 'modes', 'mode', (options) => sim.clock.set(options as { mode: 'real' })],
  [
    'connectedAccounts.authorize',
    'user_verify',
    'userVerify',
    (options) => sim.connectedAccounts.authorize('ca_1', options),
  ],
  ['passkeys.create', 'rp_id', 'rpId', (options) => sim.passkeys.create('ada@acme.example', options)],
  ['passkeys.sign', 'signcount', 'signCount', (options) => sim.passkeys.sign('AAAA', options)],
  ['idp.create', 'givenname', 'givenName', (options) => sim.idp('okta').create('x@acme.example', options)],
  ['idp.move', 'latr', 'late', (options) => sim.idp('okta').move('ada@acme.example', [], options)],
  ['idp.sendPatch', 'pach', 'patch', (options) => sim.idp('okta').sendPatch('ada@acme.example', options)],
  ['rotateKeys', 'overlapp', 'overlap', (options) => sim.rotateKeys(options)],
  ['reset', 'onyl', 'only', (options) => sim.reset(options)],
  ['coverage', 'al', 'all', (options) => sim.coverage(options)],
  ['coveragePage', 'al', 'all', (options) => sim.control.coveragePage(options)],
  ['forgetCoverage', 'al', 'all', (options) => sim.control.forgetCoverage(options)],
  ['events', 'kind', 'kinds', (options) => sim.events(options).next()],
];

const refusal = async (make: () => unknown) => {
  try {
    await make();
  } catch (thrown) {
    return thrown as Error;
  }
  return expect.unreachable('nothing was refused');
};

describe('an option that does not exist', () => {
  it.each(MISSPELT)(
    'is refused by %s: %s is not an option, %s is suggested',
    async (call, misspelt, right, make) => {
      const before = await sim.state.hash();

      const error = await refusal(() => make({ [misspelt]: 'x' }));

      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toBe(`${call} has no option ${misspelt}; did you mean ${right}?`);
      expect(await sim.state.hash()).toBe(before);
    },
  );

  it('is refused in the options that every call has', async () => {
    const error = await refusal(() => sim.clock.get(wrong({ timeut: 5 })));

    expect(error.message).toBe(
      `GET ${sim.url}/_control/v1/clock has no option timeut; did you mean timeout?`,
    );
  });

  it('without a similar name gets the list of all options', async () => {
    const error = await refusal(() => sim.webhooks.rotateSecret('whe_1', wrong({ grace: '1h' })));

    expect(error.message).toBe('webhooks.rotateSecret has no option grace; its options are secret, overlap');
  });

  it.each([['user.*'], [['user.*']], [null], [7]])(
    'is refused when the options are %j, which is not an object',
    async (given) => {
      const error = await refusal(() => sim.webhooks.inbox(wrong(given)));

      expect(error.message).toBe(
        `webhooks.inbox takes its options as an object, not ${JSON.stringify(given)}`,
      );
    },
  );
});

describe('an argument of the wrong type', () => {
  it.each<[string, string, () => unknown]>([
    [
      'webhooks.addEndpoint(url, settings) takes url as text',
      '{"url":"http://localhost:9/"}',
      () => sim.webhooks.addEndpoint({ url: 'http://localhost:9/' } as unknown as string),
    ],
    [
      'webhooks.trigger(type, options) takes type as text',
      '{"type":"user.login"}',
      () => sim.webhooks.trigger({ type: 'user.login' } as unknown as 'user.login'),
    ],
    [
      'the call of GET /state/{collection}/{id} takes id as text',
      '{"id":"org_1"}',
      () => sim.state.get('organizations', { id: 'org_1' } as unknown as string),
    ],
  ])('is refused: %s', async (rule, given, make) => {
    const error = await refusal(make);

    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(`${rule}, not ${given}`);
  });
});

describe('an environment created by a test', () => {
  it('authorizes connected accounts and reports its own coverage', async () => {
    const environment = await sim.environment();
    const [account] = await environment.state.list('connected_accounts');

    const { connected_account } = await environment.connectedAccounts.authorize(account!.id, {
      userVerify: { confirm: true },
    });
    await fetch(`${environment.url}/api/v1/users`, { headers: environment.headers });

    expect(connected_account).toMatchObject({ id: account!.id, status: 'ACTIVE' });
    expect((await environment.coverage()).summary).toMatchObject({ calls: 1 });
    expect((await (await sim.environment()).coverage()).summary).toMatchObject({ calls: 0 });
  });
});
