import { create } from '@bufbuild/protobuf';
import {
  ScalekitBadRequestException,
  ScalekitConflictException,
  ScalekitNotFoundException,
} from '@scalekit-sdk/node';
import {
  ConnectionProvider,
  ConnectionStatus,
  ConnectionType,
  CreateConnectionSchema,
} from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/connections/connections_pb.js';
import { expect, it } from 'vitest';
import { ACME, enter, expectThrottledOnce, NORDWIND } from './support.ts';
import { OKTA } from '../../support/fixture-ids.ts';

const env = await enter();
const { connection: connections } = env.connect();

const oidc = (keyId?: string) =>
  create(CreateConnectionSchema, {
    provider: ConnectionProvider.OKTA,
    type: ConnectionType.OIDC,
    ...(keyId && { keyId }),
  });

it('creates, reads and deletes a connection', async () => {
  const { connection } = await connections.createConnection(NORDWIND, oidc());
  const { id } = connection!;
  expect((await connections.getConnection(NORDWIND, id)).connection).toMatchObject({
    type: ConnectionType.OIDC,
    provider: ConnectionProvider.OKTA,
    status: ConnectionStatus.DRAFT,
    enabled: false,
  });
  await connections.deleteConnection(NORDWIND, id);
  await expect(connections.getConnection(NORDWIND, id)).rejects.toThrow(ScalekitNotFoundException);
});

it('disables and enables a connection', async () => {
  expect(await connections.disableConnection(ACME, OKTA)).toMatchObject({ enabled: false });
  expect((await connections.listConnections(ACME)).connections).toEqual([]);
  expect(await connections.enableConnection(ACME, OKTA)).toMatchObject({ enabled: true });
  expect((await connections.listConnections(ACME)).connections).toMatchObject([{ id: OKTA }]);
});

it('finds the connections of a domain', async () => {
  const found = await connections.listConnectionsByDomain('acme.example');
  expect(found.connections).toMatchObject([{ id: OKTA, organizationId: ACME }]);
});

it('pages through the connections of applications', async () => {
  const first = await connections.listAppConnections({ pageSize: 5 });
  const second = await connections.listAppConnections({ pageSize: 30, pageToken: first.nextPageToken });
  const ids = [...first.connections, ...second.connections].map(({ id }) => id);
  expect(first.connections).toHaveLength(5);
  expect(new Set(ids).size).toBe(first.totalSize);
  const ofHubspot = await connections.listAppConnections({ provider: 'HUBSPOT' });
  expect(ofHubspot.connections).toMatchObject([{ keyId: 'hubspot', providerKey: 'HUBSPOT' }]);
});

it('throws for an unknown, an invalid and a duplicate connection', async () => {
  await expect(connections.getConnection(ACME, 'conn_404')).rejects.toThrow(ScalekitNotFoundException);
  const oauth = create(CreateConnectionSchema, {
    provider: ConnectionProvider.OKTA,
    type: ConnectionType.OAUTH,
  });
  await expect(connections.createConnection(ACME, oauth)).rejects.toThrow(ScalekitBadRequestException);
  await connections.createConnection(NORDWIND, oidc('okta-of-nordwind'));
  await expect(connections.createConnection(NORDWIND, oidc('okta-of-nordwind'))).rejects.toThrow(
    ScalekitConflictException,
  );
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'ConnectionService_GetConnection', () => connections.getConnection(ACME, OKTA)));
