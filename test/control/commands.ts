import fc from 'fast-check';
import type supertest from 'supertest';
import type { Agent } from '../support/boot.ts';

/** One call of the API or of the control API. Any response is fine. */
export interface Command {
  by: 'api' | 'control';
  verb: keyof Agent;
  path: string;
  body?: object;
}

const command = (by: Command['by'], verb: Command['verb'], path: string, body?: object): Command => ({
  by,
  verb,
  path,
  ...(body && { body }),
});

const ORGANIZATIONS = ['org_10000000000000001', 'org_10000000000000002', 'org_10000000000000003'];
const USERS = ['usr_10000000000000101', 'usr_10000000000000105'];
const organization = fc.constantFrom(...ORGANIZATIONS);
const user = fc.constantFrom(...USERS);
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const duration = fc.constantFrom('1ms', '61s', '25h', '20d', '400d');
const instant = fc.constantFrom('2029-12-01T00:00:00Z', '2030-01-01T00:00:00Z', '2035-06-01T12:00:00Z');
const scenario = fc.constantFrom(
  'invite-expired',
  'rate-limit-once',
  'tool-failure',
  'seat-limit',
  'no-such',
);
const snapshot = fc.constantFrom('one', 'two');

const calls = fc.oneof(
  name.map((display_name) => command('api', 'post', '/api/v1/organizations', { display_name })),
  fc.constant(command('api', 'get', '/api/v1/organizations?page_size=2')),
  organization.map((id) => command('api', 'get', `/api/v1/organizations/${id}`)),
  fc
    .tuple(organization, name)
    .map(([id, display_name]) => command('api', 'patch', `/api/v1/organizations/${id}`, { display_name })),
  organization.map((id) => command('api', 'delete', `/api/v1/organizations/${id}`)),
  fc
    .tuple(organization, user)
    .map(([id, who]) => command('api', 'post', `/api/v1/memberships/organizations/${id}/users/${who}`, {})),
  fc.constant(command('api', 'post', '/api/v1/passwordless/email/send', { email: 'ada@acme.example' })),
  fc.constant(
    command('api', 'post', '/api/v1/execute_tool', {
      tool_name: 'gmail_fetch_mails',
      connected_account_id: 'ca_10000000000000301',
      params: {},
    }),
  ),
);

/** Commands of the clock keep it frozen, so that two simulators can receive the same commands. */
const controls = fc.oneof(
  fc
    .tuple(organization, name)
    .map(([id, display_name]) => command('control', 'patch', `/state/organizations/${id}`, { display_name })),
  user.map((id) => command('control', 'delete', `/state/users/${id}`)),
  fc.constant(command('control', 'put', '/state', { include: ['empty'] })),
  instant.map((at) => command('control', 'put', '/clock', { mode: 'frozen', at })),
  duration.map((by) => command('control', 'post', '/clock/advance', { by })),
  scenario.map((which) => command('control', 'post', '/scenarios', { name: which })),
  fc.constant(command('control', 'delete', '/scenarios')),
  fc.constant(command('control', 'delete', '/requests')),
  fc.constant(command('control', 'delete', '/mail')),
  fc.constant(command('control', 'post', '/webhooks/endpoints', { kind: 'inbox' })),
  fc.constant(command('control', 'delete', '/webhooks/deliveries')),
  fc
    .subarray(['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'], { minLength: 1 })
    .map((parts) => command('control', 'post', `/reset?only=${parts.join(',')}`)),
  snapshot.map((which) => command('control', 'post', '/snapshots', { name: which })),
  snapshot.map((which) => command('control', 'post', `/snapshots/${which}/restore`)),
  fc.constant(command('control', 'get', '/state')),
  fc.constant(command('control', 'get', '/clock')),
);

export const commands = fc.array(
  fc.oneof({ arbitrary: calls, weight: 3 }, { arbitrary: controls, weight: 2 }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

export async function play(
  { by, verb, path, body }: Command,
  agents: { api: Agent; control: Agent },
): Promise<supertest.Response> {
  const request = agents[by][verb](path);
  return body === undefined ? request : request.send(body);
}
