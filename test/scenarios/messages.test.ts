import { describe, expect, it } from 'vitest';
import { complain, contract, facts, load } from './support.ts';
import type { CallFacts } from '../../src/scenarios/call-facts.ts';

const rule = (lines: string) => `name: test\nrules:\n  - ${lines}\n`;

const message = (name: string, given: Partial<CallFacts> = {}): CallFacts => ({
  ...facts('OrganizationService_CreateOrganization', given),
  operation: contract.message(name)!,
});

describe('a rule on webhooks', () => {
  it.each([
    ['one', 'webhook.organization.created', true],
    ['a glob', '"webhook.organization.*"', true],
    ['others', '"webhook.user.*"', false],
    ['every call of the service', '"*"', false],
  ])('applies when it names %s', (_, on, speaks) => {
    const loaded = load(rule(`on: ${on}\n    fault: { disconnect: before }`));

    expect(loaded.outcomeFor(message('organization.created')).rule !== undefined).toBe(speaks);
  });

  it('matches the payload and the URL of the receiver', () => {
    const loaded = load(
      rule(
        'on: webhook.*\n    when: { to: { contains: ":3000" }, body: { organization_id: org_1 } }\n    reply: { status: 503 }',
      ),
    );
    const speaks = (to: string, organization_id: string) =>
      loaded.outcomeFor(message('organization.created', { to, body: { organization_id } })).rule !==
      undefined;

    expect(speaks('http://app:3000/', 'org_1')).toBe(true);
    expect(speaks('http://app:4000/', 'org_1')).toBe(false);
    expect(speaks('http://app:3000/', 'org_2')).toBe(false);
  });

  it('sets the response of the receiver and the faults of the delivery', async () => {
    const loaded = load(
      rule(
        'on: webhook.*\n    reply: { status: 503, body: busy }\n    deliver: { duplicate: 2, timestamp: -10m }',
      ),
    );

    const script = loaded.outcomeFor(message('role.created'));

    expect(await script.apply?.()).toMatchObject({ status: 503, body: 'busy' });
    expect(script.deliver).toMatchObject({ duplicate: 2, timestamp: -600_000, drop: false });
  });

  it('uses the given random source', () => {
    const loaded = load(rule('on: webhook.*\n    probability: 0.5\n    reply: { status: 503 }'), () => {
      throw new Error('the environment draws nothing');
    });

    expect(loaded.outcomeFor(message('role.created'), () => 0.4).rule).toBeDefined();
    expect(loaded.outcomeFor(message('role.created'), () => 0.6).rule).toBeUndefined();
  });
});

describe('errors in rules on webhooks', () => {
  it.each([
    [
      'an event type without its prefix',
      'on: user.login\n    reply: { status: 503 }',
      '3:9 rules[0].on: unknown operation user.login; did you mean webhook.user.login?',
    ],
    [
      'a misspelt event type',
      'on: webhook.user.logn\n    reply: { status: 503 }',
      '3:9 rules[0].on: unknown operation webhook.user.logn; did you mean webhook.user.login?',
    ],
    [
      'an error of the service',
      'on: webhook.user.login\n    reply: { error: unavailable }',
      '4:14 rules[0].reply.error: only rules for calls reply with a named failure; for webhooks and interceptors, give a `status`',
    ],
    [
      '`deliver` for an API operation',
      'on: UserService_GetUser\n    deliver: { drop: true }',
      '4:5 rules[0].deliver: only webhooks are delivered: see `on: webhook.*`',
    ],
    [
      'a condition on the caller',
      'on: webhook.user.login\n    when: { caller: { client_id: skc_1 } }\n    reply: { status: 503 }',
      '4:13 rules[0].when.caller: only rules for calls have this condition; webhooks and interceptors have `body` and `to`',
    ],
    [
      'API operations and webhooks in one rule',
      'on: [UserService_GetUser, webhook.user.login]\n    fault: { delay: 1s }',
      '3:5 rules[0].on: a rule listens to calls, to webhooks or to interceptors: this one names calls and webhooks',
    ],
    [
      'a delay together with `hold`',
      'on: webhook.user.login\n    deliver: { delay: 5m, hold: 1 }',
      '4:27 rules[0].deliver.hold: a delivery takes only one of drop, delay, hold: this one has delay already',
    ],
    [
      'a time that is too far away',
      'on: webhook.user.login\n    deliver: { delay: 99999999d, timestamp: -99999999d }',
      '4:23 rules[0].deliver.delay: it is a hundred years (36500d) away at most',
      '4:45 rules[0].deliver.timestamp: it is a hundred years (36500d) away at most',
    ],
    [
      'a fault of a response',
      'on: webhook.user.login\n    fault: { truncate: 3 }',
      '4:14 rules[0].fault.truncate: only rules for calls have this fault; for webhooks and interceptors, write a `reply`',
    ],
    [
      'a payload outside the contract',
      'on: webhook.organization.created\n    patch: { data: { region_code: MARS } }',
      '4:35 rules[0].patch.data.region_code: webhook.organization.created: must be one of US, EU',
    ],
  ])('are reported for %s', (_, lines, ...expected) => {
    expect(complain(rule(lines))).toEqual(expected);
  });

  it('are not reported for a payload outside the contract with `contract: violated`', () => {
    const lines = 'on: webhook.organization.created\n    patch: { data: null }\n    contract: violated';

    expect(complain(rule(lines))).toEqual([]);
  });
});
