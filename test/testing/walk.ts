import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlClient } from 'understudy-server/control';
import type { ControlId } from '../../src/contract/types.ts';

const EMPTY = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/empty.json'), 'utf8'),
) as object;
const SCENARIO = "name: down\nrules:\n  - { on: '*', reply: { error: unavailable } }\n";
const ORGANIZATION = 'org_20000000000000001';

const outgoingCall = {
  id: 'out_1',
  kind: 'back_channel_logout' as const,
  url: 'https://app.example/logout',
  content: {},
  status: 'FAILED' as const,
  attempts: [],
  created_at: '2030-01-01T00:00:00.000Z',
};

const delivery = {
  event_id: 'evt_1',
  event_type: 'user.login',
  status: 'DROPPED' as const,
  attempts: [],
  created_at: '2030-01-01T00:00:00.000Z',
};

const firstEndpoint = async (client: ControlClient, act: (id: string) => Promise<unknown>) =>
  act((await client.webhooks.endpoints())[0]!.id);

/** How a client makes each call of the control document, in an order in which every call succeeds. */
export const walk: Partial<Record<ControlId, (client: ControlClient) => Promise<unknown>>> = {
  Control_Health: (client) => client.health(),
  Control_GetMetrics: (client) => client.metrics(),
  Control_Document: (client) => client.document(),
  Control_Authority: (client) => client.authority(),
  Control_CreateEnvironment: (client) => client.environments.create({ name: 'made' }),
  Control_ListEnvironments: (client) => client.environments.list(),
  Control_ListFixtures: (client) => client.environments.fixtures(),
  Control_GetEnvironment: (client) => client.environments.get('made'),
  Control_KeepEnvironment: (client) =>
    client.environments.keep('made', { test: 'a.test.ts > fails', outcome: 'failed' }),
  Control_ForkEnvironment: (client) => client.environments.fork('made', 'forked'),
  Control_DeleteEnvironment: (client) => client.environments.drop('made'),

  Control_GetCoverage: (client) => client.coverage({ all: true }),
  Control_ForgetCoverage: (client) => client.forgetCoverage(),

  Control_FollowEvents: async (client) => {
    const events = client.events({ kinds: ['reset'], signal: AbortSignal.timeout(100_000) });
    await Promise.all([events.next(), client.reset({ only: 'scenarios' })]);
    await events.return();
  },

  Control_ListRequests: (client) => client.requests.list({ status: '4xx' }),
  Control_WaitForRequests: (client) => client.requests.wait({ status: 401 }, { timeout: '2m' }),
  Control_VerifyRequests: (client) => client.requests.verify({ status: 401 }, { atLeast: 1 }),
  Control_GetRequest: (client) => client.requests.list().then(([first]) => client.requests.get(first!.id)),
  Control_ListRemedies: (client) =>
    client.requests.find({ status: '4xx' }).then((call) => client.requests.remedies(call!.id)),
  Control_ApplyRemedy: (client) =>
    client.requests.find({ status: '4xx' }).then((call) => client.requests.fix(call!.id, 1)),
  Control_GetTrace: (client) => client.requests.list().then(([first]) => client.requests.trace(first!.id)),
  Control_ClearRequests: (client) => client.requests.clear(),

  Control_ListMails: (client) => client.mail.list({ kind: 'passwordless' }),
  Control_WaitForMail: (client) => client.mail.wait({ to: '*@acme.example' }, { timeout: '2m' }),
  Control_GetMail: (client) => client.mail.list().then(([first]) => client.mail.get(first!.id)),
  Control_DeleteMails: (client) => client.mail.clear(),

  Control_ListOutgoingCalls: async (client) => {
    await client.state.put('outgoing_calls', 'out_1', outgoingCall);
    await client.outgoing.list({ status: 'FAILED' });
  },
  Control_WaitForOutgoingCall: (client) =>
    client.outgoing.wait({ url: 'https://app.example/*' }, { timeout: '2m' }),
  Control_GetOutgoingCall: (client) => client.outgoing.get('out_1'),
  Control_DeleteOutgoingCalls: (client) => client.outgoing.clear(),

  Control_CreateWebhookEndpoint: (client) =>
    client.webhooks.addEndpoint('http://127.0.0.1:9/hooks', {
      eventTypes: ['organization.*'],
      maxInFlight: 2,
    }),
  Control_ListWebhookEndpoints: (client) => client.webhooks.endpoints(),
  Control_GetWebhookEndpoint: (client) => firstEndpoint(client, (id) => client.webhooks.endpoint(id)),
  Control_UpdateWebhookEndpoint: (client) =>
    firstEndpoint(client, (id) => client.webhooks.updateEndpoint(id, { eventTypes: ['*'], maxInFlight: 1 })),
  Control_RotateWebhookSecret: (client) =>
    firstEndpoint(client, (id) => client.webhooks.rotateSecret(id, { overlap: '1h' })),
  Control_RotateKeys: (client) => client.rotateKeys({ overlap: '1h' }),

  Control_ListWebhookDeliveries: async (client) => {
    await firstEndpoint(client, (endpoint_id) =>
      client.state.put('webhook_deliveries', 'msg_1', { ...delivery, endpoint_id }),
    );
    await client.webhooks.deliveries.list({ status: 'DROPPED', limit: 1 });
  },
  Control_GetWebhookDelivery: (client) => client.webhooks.deliveries.get('msg_1'),
  Control_WaitForWebhookDeliveries: (client) =>
    client.webhooks.deliveries.wait({ type: 'user.*' }, { timeout: '2m' }),
  Control_RedeliverWebhook: async (client) => {
    await client.webhooks.redeliver('msg_1', { timeout: '1ms' }).catch(() => 'nobody answers');
  },
  Control_TriggerEvent: (client) =>
    client.webhooks.trigger('organization.created', { data: { display_name: 'Acme' } }),
  Control_DeleteWebhookDeliveries: (client) => client.webhooks.deliveries.clear(),
  Control_DeleteWebhookEndpoint: (client) =>
    firstEndpoint(client, (id) => client.webhooks.removeEndpoint(id)),

  Control_AuthorizeAccount: (client) =>
    client.connectedAccounts.authorize('ca_10000000000000305', { userVerify: { confirm: true } }),

  Control_EnrolTotp: (client) => client.totp('ravi@acme.example').enrol(),
  Control_GetTotp: (client) => client.totp('ravi@acme.example').code({ drift: 30 }),
  Control_CreatePasskey: (client) => client.passkeys.create('ada@acme.example', { displayName: 'Phone' }),
  Control_ListPasskeys: (client) => client.passkeys.list(),
  Control_SignPasskeyChallenge: async (client) => {
    await client.state.put('passkey_ceremonies', 'sess_1', {
      kind: 'sign_in',
      challenge: 'AAAA',
      rp_id: 'localhost',
      origins: ['http://localhost'],
      user_verification: 'preferred',
      expires_at: '2090-01-01T00:00:00.000Z',
    });
    await client.passkeys.sign('AAAA', { userVerified: false });
  },

  Control_ActAsIdp: async (client) => {
    const okta = client.idp('okta');
    const mia = 'mia@acme.example';
    await okta.create(mia, { givenName: 'Mia', groups: ['Finance'] });
    await okta.change(mia, { givenName: 'Maria' });
    await okta.move(mia, ['Engineering']);
    await okta.deactivate(mia);
    await okta.activate(mia, { late: '5m' });
    await okta.sync();
    await okta.sendPatch(mia);
    await okta.recreate(mia);
    await okta.createGroup('Sales');
    await okta.renameGroup('Sales', 'Revenue');
    await okta.deleteGroup('Revenue');
    await okta.pushAll();
    await okta.delete(mia);
    await client.idp().offboard('ada@acme.example', { late: 'cycle' });
  },
  Control_ListIdps: (client) => client.idps(),

  Control_GetClock: (client) => client.clock.get(),
  Control_SetClock: (client) => client.clock.freeze(new Date('2030-01-01T00:00:00Z')),
  Control_GetTimeline: (client) => client.clock.timeline({ limit: 5 }),
  Control_AdvanceClock: (client) => client.clock.advance(1500),

  Control_GetBundle: (client) => client.bundle(),
  Control_MakeBundle: (client) => client.bundle({ test: 'a role is created', failure: 'expected 200' }),

  Control_TakeSnapshot: (client) => client.snapshots.take('before'),
  Control_ListSnapshots: (client) => client.snapshots.list(),
  Control_GetSnapshotState: (client) => client.snapshots.state('before'),
  Control_RestoreSnapshot: (client) => client.snapshots.restore('before'),
  Control_DeleteSnapshot: (client) => client.snapshots.delete('before'),

  Control_GetState: (client) => client.state.all(),
  Control_GetStateHash: (client) => client.state.hash(),
  Control_CompareMoments: (client) => client.state.difference('0'),
  Control_CountRows: (client) => client.state.counts(),
  Control_PutRow: (client) => client.state.put('organizations', ORGANIZATION, organization('Initech')),
  Control_ListRows: (client) => client.state.list('organizations', { contains: 'acme', limit: 1 }),
  Control_GetRow: (client) => client.state.get('organizations', ORGANIZATION),
  Control_GetRelated: (client) => client.state.related('organizations', ORGANIZATION),
  Control_NameRows: (client) => client.state.names([ORGANIZATION]),
  Control_GetDependents: (client) => client.state.dependents('organizations', ORGANIZATION),
  Control_PatchRow: (client) => client.state.patch('organizations', ORGANIZATION, { display_name: 'Ini' }),
  Control_DeleteRow: (client) => client.state.delete('organizations', ORGANIZATION, { undo: true }),
  Control_ListUndos: (client) => client.state.undos(),
  Control_Undo: (client) => client.state.undo('undo_1'),
  Control_PutState: (client) => client.state.replace(EMPTY),

  Control_LintScenario: (client) => client.scenarios.lint(SCENARIO),
  Control_PutScenarioFile: (client) => client.scenarios.save('down', SCENARIO, { overwrite: true }),
  Control_GetScenarioFile: (client) => client.scenarios.file('down'),
  Control_LoadScenario: (client) => client.scenarios.load('slow-answers'),
  Control_ListScenarios: (client) => client.scenarios.list(),
  Control_GetScenario: (client) => client.scenarios.get('slow-answers'),
  Control_UnloadScenario: (client) => client.scenarios.unload('slow-answers'),
  Control_UnloadScenarios: (client) => client.scenarios.unload(),
  Control_Reset: (client) => client.reset({ only: ['requests', 'mail'] }),
};

const organization = (display_name: string) => ({
  display_name,
  create_time: 'now',
  update_time: 'now',
  region_code: 'US' as const,
  metadata: {},
});
