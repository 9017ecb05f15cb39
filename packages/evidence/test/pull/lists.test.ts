import { describe, expect, it } from 'vitest';
import { schemaAt } from '../../../../src/scenarios/breaches.ts';
import { Contract } from '../../../../src/contract/contract.ts';
import { responseOf, type Operation } from '../../../../src/contract/compiled.ts';
import { readContract } from '../../../../src/contract/documents.ts';
import { SOURCES } from '../../src/pull/sources.ts';
import { boot } from '../../../../test/support/boot.ts';
import { pullFrom } from '../support/pull.ts';

const contract = new Contract(readContract('openapi'));

const VIEW = 'shows in another form what other lists have';
const SEARCH = 'finds a part of what a list has';
const PORTAL = 'only a user, or a visitor of the admin portal, may call it';
const METADATA = 'follows from other rows';
const HISTORY = 'what happened before, which a pull leaves out';

/** The lists that a pull does not read, and why. */
const NOT_READ: Readonly<Record<string, string>> = {
  AuditLogsService_ListAuthRequests: HISTORY,
  AuthService_ListAuthMethods: VIEW,
  AuthService_ListUserOrganizations: PORTAL,
  ClientService_GetConsentDetails: PORTAL,
  ClientService_GetResourceClient: 'the list of a resource has the same clients',
  ClientService_ListCurrentAgentConsents: PORTAL,
  ConnectedAccountService_ListMyAppConnections: PORTAL,
  ConnectedAccountService_SearchConnectedAccounts: SEARCH,
  ConnectionService_SearchOrganizationConnections: SEARCH,
  DirectoryService_ListDirectoryGroupsSummary: VIEW,
  DomainService_ListAuthorizedDomains: VIEW,
  EventsService_ListEvents: HISTORY,
  EventsService_ListEventsPaginated: HISTORY,
  McpServer_GetMetadata: METADATA,
  McpService_ListMcpConnectedAccounts: VIEW,
  OAuth_Discovery: METADATA,
  ResourceMetadata_Get: METADATA,
  ResourceMetadata_GetServer: METADATA,
  OAuth_Keys: 'the keys of the service, whose private halves nobody else has',
  OrganizationService_GetPortalLinks: 'links that end by themselves',
  OrganizationService_SearchOrganization: SEARCH,
  RolesService_ListDependentRoles: VIEW,
  RolesService_ListEffectiveRolePermissions: VIEW,
  RolesService_ListRolePermissions: VIEW,
  SessionService_GetSession: HISTORY,
  SessionService_GetUserSessions: HISTORY,
  ToolService_ListAvailableTools: VIEW,
  ToolService_ListScopedTools: VIEW,
  ToolService_SearchTools: SEARCH,
  UserService_ListUserPermissions: VIEW,
  UserService_ListUserRoles: VIEW,
  UserService_SearchOrganizationUsers: SEARCH,
  UserService_SearchUsers: SEARCH,
  WebAuthnService_GetRelatedOrigins: VIEW,
};

/** An operation that reads, and whose name or answer says that it reads several of something. */
function isList(operation: Operation): boolean {
  const { base, id, dialect, method } = operation;
  if (dialect !== 'service' || base !== id) return false;
  if (/_(List|Search)/.test(base)) return true;
  if (method !== 'GET') return false;
  const schema = responseOf(operation, 200)?.content?.['application/json']?.schema;
  const { properties = {} } = schema ? schemaAt([], schema, contract) : {};
  return Object.keys(properties).some((name) => schemaAt([name], schema!, contract).type === 'array');
}

const lists = contract.operations.filter(isList).map(({ base }) => base);
const read = new Set(SOURCES.map(({ operation }) => operation));

describe('each list of the API', () => {
  it.each(lists)('%s is pulled, or there is a reason', (operation) => {
    expect([read.has(operation), NOT_READ[operation] !== undefined]).toContain(true);
    expect(read.has(operation) && NOT_READ[operation] !== undefined).toBe(false);
  });

  it('is in the contract, if there is a reason not to pull it', () => {
    expect(Object.keys(NOT_READ).filter((operation) => !lists.includes(operation))).toEqual([]);
  });
});

describe('passkeys', () => {
  it('are pulled without the place and the machine of their user, and with another name', async () => {
    const source = await boot({ fixture: 'small' });

    const { rows, text } = await pullFrom(source);

    const before = source.own.tables.passkeys.list();
    expect(rows['passkeys']).toHaveLength(before.length);
    expect(rows['passkeys']!.map(({ id, credential_id }) => [id, credential_id])).toEqual(
      before.map(({ id, credential_id }) => [id, credential_id]),
    );
    for (const hidden of ['203.0.113.7', 'Seattle', 'Work laptop']) expect(text).not.toContain(hidden);
    expect(text).toContain('iCloud Keychain');
  });
});

describe('test users', () => {
  it('are pulled with other addresses that are still those of test users', async () => {
    const source = await boot({ fixture: 'small' });
    const { environment_id } = source.own.settings!;
    const test_user = {
      enabled: true,
      static_confirmation_code: '135790',
      emails: ['ada+sktest@acme.example'],
    };
    const path = `/api/v1/environments/${environment_id}/settings/test-user`;
    await source.api.patch(path).send({ test_user }).expect(200);

    const { out, rows, text } = await pullFrom(source);
    const kept = await pullFrom(source, { keep: ['emails'] });

    expect(rows['settings']![0]!['test_users']).toEqual({
      enabled: true,
      emails: [expect.stringMatching(/^[^@]+\+sktest@/)],
    });
    expect(text).not.toContain('ada+sktest');
    expect(text).not.toContain('135790');
    expect(kept.rows['settings']![0]).toMatchObject({ test_users: { emails: ['ada+sktest@acme.example'] } });
    const copy = await boot({ fixture: out });
    const { body } = await copy.api.get(path).expect(200);
    expect(body.test_user).toMatchObject({ enabled: true, emails: { length: 1 } });
  });
});
