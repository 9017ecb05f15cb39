// `tsc` checks this file: each name has a right example, and a wrong one that must not compile.
import { unchecked, type ControlClient, type Scenario } from 'understudy-server/control';
import type { startUnderstudy, TestEnvironment, Understudy } from 'understudy-server/testing';

// What `understudy types` writes for a project.
declare global {
  interface UnderstudyScenarios {
    'seats-taken': { organization_id: string; seats?: number };
    unimplemented: { reason?: string };
  }
  interface UnderstudyFixtures {
    'our-customers': unknown;
  }
}

export async function scenarios(env: TestEnvironment, name: string): Promise<void> {
  await env.scenario('rate-limit-once');
  await env.scenario('rate-limit-once', { retry_after: 5, operation: 'UserService_*' });
  await env.scenario('slow-answers', { delay: '300ms', operation: 'UserService_ListUsers' });
  await env.scenario('webhook-delayed', { event: 'user.login', delay: '2h' });
  await env.scenario('interceptor-denies', { trigger_point: 'PRE_SIGNUP' });
  await env.scenario('dropped-connections', { disconnect: 'reset' });
  await env.scenario('seats-taken', { organization_id: 'org_1' });
  await env.scenario(unchecked(name), { anything: true });
  // @ts-expect-error -- a misspelt name
  await env.scenario('rate-limit-onec');
  // @ts-expect-error -- a name that is only known at run time
  await env.scenario(name);
  // @ts-expect-error -- a misspelt parameter
  await env.scenario('rate-limit-once', { retryAfter: 5 });
  // @ts-expect-error -- a parameter of the wrong type
  await env.scenario('rate-limit-once', { retry_after: '5' });
  // @ts-expect-error -- a misspelt operation
  await env.scenario('rate-limit-once', { operation: 'UserService_ListUser' });
  // @ts-expect-error -- not a duration
  await env.scenario('slow-answers', { delay: '5 seconds' });
  // @ts-expect-error -- not an event
  await env.scenario('webhook-delayed', { event: 'user.logged_in' });
  // @ts-expect-error -- not a trigger point
  await env.scenario('interceptor-denies', { trigger_point: 'PRE_SIGN_UP' });
  // @ts-expect-error -- none of the values
  await env.scenario('dropped-connections', { disconnect: 'later' });
  // @ts-expect-error -- the scenario has no parameters
  await env.scenario('identifier-mismatch', { times: 1 });
  // @ts-expect-error -- the project's scenario needs organization_id
  await env.scenario('seats-taken');
  // @ts-expect-error -- the project's scenario replaces the shipped one
  await env.scenario('unimplemented', { times: 1 });
  await env.scenario({ name: 'rate-limit-once', params: { retry_after: 5 } });
  await env.scenario({
    name: 'mine',
    rules: [{ on: 'UserService_GetUser', reply: { error: 'unavailable' } }],
  });
  // @ts-expect-error -- a misspelt parameter of a reference
  await env.scenario({ name: 'rate-limit-once', params: { retryAfter: 5 } });
  // @ts-expect-error -- a misspelt name of a reference
  await env.scenario({ name: 'rate-limit-onec', params: {} });
  // @ts-expect-error -- a misspelt member
  await env.scenario({ name: 'mine', rules: [], restor: true });
  // @ts-expect-error -- also through the control client
  await env.scenarios.load('rate-limit-once', { retryAfter: 5 });
}

export const written: Scenario[] = [
  {
    name: 'mine',
    params: { wait: '5s' },
    include: ['invite-expired'],
    state: { users: [{ match: { id: 'usr_1' }, set: { email: 'ada@acme.example' } }] },
    rules: [
      {
        on: ['UserService_*', 'webhook.user.login'],
        when: { path: { id: { in: ['usr_1'] } } },
        fault: { delay: '${wait}' },
      },
      { on: 'UserService_GetUser', times: 1, reply: { error: 'rate_limited', message: 'slow down' } },
    ],
  },
  // @ts-expect-error -- a misspelt member
  { name: 'mine', ruls: [] },
  // @ts-expect-error -- not an operation
  { name: 'mine', rules: [{ on: 'UserService_Get', reply: { status: 200 } }] },
  // @ts-expect-error -- not an error
  { name: 'mine', rules: [{ on: 'UserService_GetUser', reply: { error: 'too_many' } }] },
  // @ts-expect-error -- not a duration
  { name: 'mine', rules: [{ on: 'UserService_GetUser', fault: { delay: '5 seconds' } }] },
  // @ts-expect-error -- no such collection
  { name: 'mine', state: { user: [] } },
];

export async function start(begin: typeof startUnderstudy, sim: Understudy): Promise<void> {
  await begin({
    fixture: 'small',
    scenarios: ['invite-expired', 'rate-limit-once,retry_after=5', './mine.yaml'],
  });
  await begin({ fixture: './fixtures/mine.json' });
  await sim.environment({ fixture: 'our-customers', scenarios: ['seats-taken'] });
  await sim.environment({ scenarios: [{ name: 'rate-limit-once', params: { retry_after: 5 } }] });
  await sim.environment({ clock: { mode: 'offset', offset: '-14d' } });
  await sim.environment({ clock: { mode: 'offset', offset: '+1.5h' } });
  // @ts-expect-error -- a space before the unit
  await sim.environment({ clock: { mode: 'offset', offset: '-14 d' } });
  // @ts-expect-error -- no such fixture
  await begin({ fixture: 'tiny' });
  // @ts-expect-error -- no such fixture
  await sim.environment({ fixture: 'our-customer' });
  // @ts-expect-error -- no such scenario
  await begin({ scenarios: ['invite-expird'] });
  // @ts-expect-error -- no such scenario
  await sim.environment({ scenarios: ['invite-expird'] });
  // @ts-expect-error -- not an offset
  await sim.environment({ clock: { mode: 'offset', offset: '14 days' } });
}

export async function lists(env: TestEnvironment, control: ControlClient, text: string): Promise<void> {
  await env.requests.list({ operation: 'UserService_ListUsers', status: '4xx' });
  await env.requests.wait({ operation: unchecked(text), status: 429 }, { timeout: '2s' });
  await env.requests.verify({ operation: ['UserService_*'] }, { atLeast: 1, atMost: 3 });
  await env.mail.wait({ kind: 'invitation' });
  await env.webhooks.inbox({ eventTypes: ['user.*', 'organization.created'] });
  await env.webhooks.trigger('organization.created', { organizationId: 'org_1' });
  await env.webhooks.deliveries.list({ type: 'user.login', status: 'FAILED' });
  await env.outgoing.list({ kind: 'back_channel_logout', status: 'DELIVERED' });
  await env.clock.advance('1.5h');
  await env.clock.advance(1500);
  env.events({ kinds: ['request', 'mail'] });
  // @ts-expect-error -- no such operation
  await env.requests.list({ operation: 'UserService_ListUser' });
  // @ts-expect-error -- not a class of statuses
  await env.requests.list({ status: '4x' });
  // @ts-expect-error -- a misspelt option
  await env.requests.verify({}, { at_least: 1 });
  // @ts-expect-error -- no such kind of mail
  await env.mail.wait({ kind: 'invite' });
  // @ts-expect-error -- no such event
  await env.webhooks.inbox({ eventTypes: ['user.signed_in'] });
  // @ts-expect-error -- no such event
  await env.webhooks.trigger('organization.made');
  // @ts-expect-error -- a misspelt option
  await env.webhooks.trigger('organization.created', { organization_id: 'org_1' });
  // @ts-expect-error -- no such status
  await env.webhooks.deliveries.list({ status: 'DELIVERED' });
  // @ts-expect-error -- no such status
  await env.outgoing.list({ status: 'SUCCESS' });
  // @ts-expect-error -- not a duration
  await env.clock.advance('25 hours');
  // @ts-expect-error -- a space before the unit
  await env.clock.advance('300 ms');
  // @ts-expect-error -- time only goes forward
  await env.clock.advance('-5s');
  // @ts-expect-error -- an exponent
  await env.clock.advance('1e3s');
  // @ts-expect-error -- no such kind of event
  env.events({ kinds: ['requests'] });
  // @ts-expect-error -- no such part
  await control.reset({ only: 'states' });
}

export async function rows(env: TestEnvironment): Promise<void> {
  const [organization] = await env.state.list('organizations');
  organization?.display_name.toUpperCase();
  await env.state.patch('organizations', 'org_1', { external_id: null, metadata: { plan: 'team' } });
  await env.connectedAccounts.authorize('ca_1', { outcome: 'denied', userVerify: { confirm: true } });
  // @ts-expect-error -- no such collection
  await env.state.list('organisations');
  // @ts-expect-error -- no such field
  organization?.displayName.toUpperCase();
  // @ts-expect-error -- no such field
  await env.state.patch('organizations', 'org_1', { displayName: 'Acme' });
  // @ts-expect-error -- no such outcome
  await env.connectedAccounts.authorize('ca_1', { outcome: 'refused' });
}
