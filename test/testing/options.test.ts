import { beforeAll, describe, expect, it } from 'vitest';
import { ControlClient } from 'understudy-server/control';
import { connectUnderstudy, startUnderstudy, type Understudy } from 'understudy-server/testing';

let sim: Understudy;

beforeAll(async () => {
  sim = await startUnderstudy();
  return () => sim.stop();
});

/** What plain JavaScript may pass: nothing checks its types. */
const wrong = (options: unknown) => options as object;

const ORGANIZATION = 'org_10000000000000001';

/** Every function that takes options, with one that is misspelt and the nearest right one. */
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
  ['webhooks.deliveries', 'limits', 'limit', (options) => sim.webhooks.deliveries(options)],
  ['webhooks.waitForDeliveries', 'counts', 'count', (options) => sim.webhooks.waitForDeliveries(options)],
  ['webhooks.waitForDelivery', 'endpont', 'endpoint', (options) => sim.webhooks.waitForDelivery(options)],
  ['webhooks.redeliver', 'time_out', 'timeout', (options) => sim.webhooks.redeliver('dlv_1', options)],
  ['webhooks.clear', 'endpoints', 'endpoint', (options) => sim.webhooks.clear(options)],
  ['requests.list', 'metod', 'method', (options) => sim.requests.list(options)],
  ['requests.wait', 'timeOut', 'timeout', (options) => sim.requests.wait(options)],
  ['requests.verify', 'atLeast', 'at_least', (options) => sim.requests.verify({}, options)],
  ['mail.list', 'kinds', 'kind', (options) => sim.mail.list(options)],
  ['mail.wait', 'sinse', 'since', (options) => sim.mail.wait(options)],
  ['outgoing.list', 'URL', 'url', (options) => sim.outgoing.list(options)],
  ['outgoing.wait', 'stauts', 'status', (options) => sim.outgoing.wait(options)],
  ['state.put', 'event', 'events', (options) => sim.state.put('organizations', ORGANIZATION, {}, options)],
  [
    'state.patch',
    'event',
    'events',
    (options) => sim.state.patch('organizations', ORGANIZATION, {}, options),
  ],
  ['state.delete', 'event', 'events', (options) => sim.state.delete('organizations', ORGANIZATION, options)],
  ['clock.set', 'modes', 'mode', (options) => sim.clock.set(options as { mode: 'real' })],
  [
    'connectedAccounts.authorize',
    'userVerify',
    'user_verify',
    (options) => sim.connectedAccounts.authorize('ca_1', options),
  ],
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
  it.each(MISSPELT)('is refused by %s: for %s it names %s', async (call, misspelt, right, make) => {
    const before = await sim.state.hash();

    const error = await refusal(() => make({ [misspelt]: 'x' }));

    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(`${call} has no option ${misspelt}; did you mean ${right}?`);
    expect(await sim.state.hash()).toBe(before);
  });

  it('is refused in the options that every call takes', async () => {
    const error = await refusal(() => sim.clock.get(wrong({ timeut: 5 })));

    expect(error.message).toBe(
      `GET ${sim.url}/_control/v1/clock has no option timeut; did you mean timeout?`,
    );
  });

  it('that is like no other is answered with all that there are', async () => {
    const error = await refusal(() => sim.webhooks.rotateSecret('whe_1', wrong({ grace: '1h' })));

    expect(error.message).toBe('webhooks.rotateSecret has no option grace; its options are secret, overlap');
  });

  it.each([['user.*'], [['user.*']], [null], [7]])(
    'is not taken from %j, which is no object',
    async (given) => {
      const error = await refusal(() => sim.webhooks.inbox(wrong(given)));

      expect(error.message).toBe(
        `webhooks.inbox takes its options as an object, not ${JSON.stringify(given)}`,
      );
    },
  );
});

describe('an environment of a test', () => {
  it('authorizes connected accounts and reports its own coverage', async () => {
    const environment = await sim.environment();
    const [account] = await environment.state.list('connected_accounts');

    const { connected_account } = await environment.connectedAccounts.authorize(account!.id, {
      user_verify: { confirm: true },
    });
    await fetch(`${environment.url}/api/v1/users`, { headers: environment.headers });

    expect(connected_account).toMatchObject({ id: account!.id, status: 'ACTIVE' });
    expect((await environment.coverage()).summary).toMatchObject({ calls: 1 });
    expect((await (await sim.environment()).coverage()).summary).toMatchObject({ calls: 0 });
  });
});
