import {
  ScalekitBadRequestException,
  ScalekitConflictException,
  ScalekitNotFoundException,
  ScalekitNotImplementedException,
  ScalekitTooManyRequestsException,
  ScalekitToolRateLimitException,
} from '@scalekit-sdk/node';
import { expect, it } from 'vitest';
import { enter, expectThrottledOnce } from './support.ts';

const env = await enter();
const { actions } = env.connect();
const gmail = { connectionName: 'gmail', identifier: 'default' };

it('creates, reads, updates and deletes a connected account', async () => {
  const kim = { connectionName: 'exa', identifier: 'kim' };
  const key = (api_key: string) => ({
    details: { case: 'staticAuth' as const, value: { details: { api_key } } },
  });
  const made = await actions.createConnectedAccount({ ...kim, authorizationDetails: key('k-1') as never });
  const connectedAccountId = made.connectedAccount!.id;
  await expect(
    actions.createConnectedAccount({ ...kim, authorizationDetails: key('k-1') as never }),
  ).rejects.toThrow(ScalekitConflictException);
  await actions.updateConnectedAccount({ ...kim, authorizationDetails: key('k-2') as never });
  expect((await actions.getConnectedAccount(kim)).connectedAccount).toMatchObject({
    id: connectedAccountId,
    authorizationDetails: { details: { case: 'staticAuth', value: { details: { api_key: 'k-2' } } } },
  });
  await actions.deleteConnectedAccount({ connectedAccountId });
  await expect(actions.getConnectedAccount(kim)).rejects.toThrow(ScalekitNotFoundException);

  const again = await actions.getOrCreateConnectedAccount(kim);
  const upserted = await actions.upsertConnectedAccount({ ...kim, apiConfig: { retries: 1 } });
  expect(upserted.connectedAccount).toMatchObject({ id: again.connectedAccount!.id });
});

it('accepts credentials of another shape, which the SDK drops', async () => {
  const foreign = { static_auth: { details: { username: 'kim', password: 'x' } } };
  const desk = { connectionName: 'freshdesk', identifier: 'kim', authorizationDetails: foreign as never };
  const { connectedAccount } = await actions.createConnectedAccount(desk);
  expect(connectedAccount).toMatchObject({ identifier: 'kim' });
  const changed = await actions.updateConnectedAccount(desk);
  expect(changed.connectedAccount!.authorizationDetails).toBeDefined();
});

it('creates an authorization link, and rejects an unknown auth request', async () => {
  const { link } = await actions.getAuthorizationLink({ ...gmail, state: 'setup' });
  expect(link).toMatch(/\/magicLink\//);
  const unknown = { authRequestId: 'd39ff7d6-8d2f-4d6f-9a0c-0ad6b9f7a7a1', identifier: 'default' };
  await expect(actions.verifyConnectedAccountUser(unknown)).rejects.toThrow(
    /auth request not found or no longer valid/,
  );
});

it('pages through accounts and connections', async () => {
  const first = await actions.listConnectedAccounts({ pageSize: 3 });
  const second = await actions.listConnectedAccounts({ pageSize: 3, pageToken: first.nextPageToken });
  const ids = [...first.connectedAccounts, ...second.connectedAccounts].map(({ id }) => id);
  expect(new Set(ids).size).toBe(6);
  const connections = await actions.listConnections({ pageSize: 3 });
  const others = await actions.listConnections({ pageSize: 3, pageToken: connections.nextPageToken });
  expect(new Set([...connections.connections, ...others.connections].map(({ id }) => id)).size).toBe(6);
  expect((await actions.listConnections({ provider: 'HUBSPOT' })).connections).toMatchObject([
    { connectionName: 'hubspot', provider: 'HUBSPOT', type: 'OAUTH', status: 'COMPLETED', enabled: true },
  ]);
});

it('executes a tool, and throws when it is rate limited', async () => {
  const wanted = { toolName: 'gmail_get_profile', toolInput: {}, connector: 'gmail', identifier: 'default' };
  expect(await actions.executeTool(wanted)).toMatchObject({ executionId: expect.stringMatching(/./) });
  await env.play('tool-rate-limited', { times: 1 });
  await expect(actions.executeTool(wanted)).rejects.toThrow(ScalekitToolRateLimitException);
});

it('calls the provider through the proxy', async () => {
  const { status, data } = await actions.request({ ...gmail, path: 'gmail/v1/users/me/profile' });
  expect({ status, data }).toMatchObject({
    status: 200,
    data: { emailAddress: expect.stringContaining('@') },
  });
  const posted = await actions.request({
    connectionName: 'exa',
    identifier: 'research-bot',
    path: '/search',
    method: 'post',
    body: { query: 'cellars', numResults: 2 },
    headers: { 'x-trace': '1' },
  });
  expect(posted.data).toMatchObject({ results: [{ title: expect.any(String) }, {}] });
  const unanswered = actions.request({ ...gmail, path: '/no/such/call' });
  await expect(unanswered).rejects.toThrow(ScalekitNotImplementedException);

  const unknown = actions.request({ ...gmail, connectionName: 'nothing', path: '/' });
  await expect(unknown).rejects.toThrow(ScalekitNotFoundException);
  await env.play('rate-limit-once', { operation: 'ActionsProxy_*' });
  await expect(actions.request({ ...gmail, path: '/users' })).rejects.toThrow(
    ScalekitTooManyRequestsException,
  );
});

it('throws for an invalid page size', () =>
  expect(actions.listConnectedAccounts({ pageSize: 100 })).rejects.toThrow(ScalekitBadRequestException));

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'ConnectedAccountService_GetConnectedAccountAuth', () =>
    actions.getConnectedAccount(gmail),
  ));
