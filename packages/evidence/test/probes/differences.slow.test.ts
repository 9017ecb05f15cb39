import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import { shippedProbes } from '../../src/probes/probe.ts';
import { bootOnce } from '../../../../test/support/boot.ts';
import { openFor } from '../../../../test/server/grpc/support.ts';
import { ask } from '../support/probes.ts';

const { same } = bootOnce();

/** Not the call with which a run gets its token. */
const OF_ANOTHER_CLIENT = { body: { client_id: { not: KNOWN_CREDENTIALS.client_id } } };

/** What a service could do instead, by the rule that it breaks, and what the probe then says. */
const OTHER_SERVICES: readonly [
  rule: string,
  change: { on: string } & Record<string, unknown>,
  told: string,
][] = [
  [
    'api-tokens/list-order',
    { on: 'ApiTokenService_ListTokens', patch: { tokens: [] } },
    'expected body.tokens',
  ],
  [
    'api-tokens/past-expiry',
    { on: 'ApiTokenService_CreateToken', reply: { error: 'already_exists' } },
    'expected status 400, was 409',
  ],
  [
    'clients/key-id',
    { on: 'ClientService_GetClient', patch: { client: { keyId: 'other_1' } } },
    'was "other_1"',
  ],
  [
    'connected-accounts/list-of-unknown-connector',
    { on: 'ConnectedAccountService_ListConnectedAccounts', reply: { error: 'not_found' } },
    'expected status 200, was 404',
  ],
  [
    'connections/enable-incomplete',
    { on: 'ConnectionService_EnableConnection', reply: { error: 'invalid_argument' } },
    'expected body.code 9, was 3',
  ],
  [
    'connections/initial-settings',
    {
      on: 'ConnectionService_GetConnection',
      patch: { connection: { oidc_config: { token_auth_type: 'URL_PARAMS' } } },
    },
    'expected body.connection.oidc_config.token_auth_type "BASIC_AUTH", was "URL_PARAMS"',
  ],
  [
    'connections/lookup-by-owner',
    { on: 'ConnectionService_GetEnvironmentConnection', reply: { error: 'permission_denied' } },
    'expected status 404, was 403',
  ],
  [
    'connections/rule-names',
    { on: 'ConnectionService_CreateConnection', reply: { error: 'invalid_argument' } },
    'expected body.details',
  ],
  [
    'directories/external-groups',
    { on: 'DirectoryService_ListDirectoryGroups', patch: { groups: [] } },
    'expected body.groups {"contains"',
  ],
  [
    'directories/initial-status',
    { on: 'DirectoryService_GetDirectory', patch: { directory: { status: 'DRAFT' } } },
    'expected body.directory.status "IN_PROGRESS", was "DRAFT"',
  ],
  [
    'environments/visible-environments',
    { on: 'EnvironmentService_GetEnvironment', reply: { error: 'permission_denied' } },
    'expected status 404, was 403',
  ],
  [
    'events/role-without-base',
    { on: 'EventsService_ListEvents', patch: { events: [] } },
    'expected body.events',
  ],
  [
    'interceptors/default-failure-policy',
    { on: 'InterceptorService_GetInterceptor', patch: { interceptor: { failure_policy: 'FAIL_OPEN' } } },
    'was "FAIL_OPEN"',
  ],
  [
    'interceptors/most-claims',
    { on: 'InterceptorService_PreviewTokenTemplate', reply: { status: 200, body: { omitted_keys: [] } } },
    'expected status 400, was 200',
  ],
  [
    'lists/page-size',
    { on: 'OrganizationService_ListOrganization', reply: { error: 'invalid_argument' } },
    'expected status 200, was 400',
  ],
  [
    'mcp/default-instance-name',
    { on: 'McpService_EnsureMcpInstance', patch: { instance: { name: 'another' } } },
    'was "another"',
  ],
  [
    'oauth/address-not-allowed',
    { on: 'OAuth_Token', when: OF_ANOTHER_CLIENT, reply: { error: 'unauthenticated' } },
    'expected status 400, was 401',
  ],
  [
    'oauth/unknown-scopes',
    { on: 'OAuth_Authorize', reply: { status: 302, headers: { location: 'https://app.example.com/' } } },
    'expected headers.location {"contains":"error=invalid_scope"}, was "https://app.example.com/"',
  ],
  [
    'organizations/feature-names',
    {
      on: 'OrganizationService_UpdateOrganizationSettings',
      patch: {
        organization: {
          settings: {
            features: [
              { name: 'dir_sync', enabled: true },
              { name: 'scim', enabled: false },
            ],
          },
        },
      },
    },
    'expected body.organization.settings.features',
  ],
  [
    'organizations/metadata-in-update',
    { on: 'OrganizationService_GetOrganization', patch: { organization: { metadata: { first: 'a' } } } },
    'expected body.organization.metadata.first {"absent":true}, was "a"',
  ],
  [
    'passkeys/without-connection',
    { on: 'WebAuthnService_BeginAuthentication', reply: { error: 'failed_precondition' } },
    'expected status 200, was 400',
  ],
  [
    'passwordless/wrong-codes',
    { on: 'PasswordlessService_VerifyPasswordlessEmail', reply: { error: 'invalid_argument' } },
    'expected status 429, was 400',
  ],
  [
    'resources/default-lifetimes',
    { on: 'ClientService_GetResource', patch: { resource: { access_token_expiry: '300' } } },
    'expected body.resource.access_token_expiry "3600", was "300"',
  ],
  [
    'roles/absent-permission',
    { on: 'RolesService_RemovePermissionFromRole', reply: { status: 200, body: {} } },
    'expected status 404, was 200',
  ],
  [
    'grpc/error-details',
    { on: 'RolesService_GetRole', reply: { error: 'gone' } },
    'RolesService/GetRole: expected body.details',
  ],
  [
    'grpc/empty-fields',
    { on: 'RolesService_UpdatePermission', patch: { permission: { description: '' } } },
    'scalekit.v1.roles.RolesService/UpdatePermission: expected body.permission.description "Stays", was absent',
  ],
  [
    'tools/inactive-account',
    { on: 'ToolService_ExecuteTool', reply: { error: 'failed_precondition' } },
    'expected body.details',
  ],
  [
    'users/known-address',
    {
      on: 'UserService_CreateUserAndMembership',
      patch: { user: { user_profile: { given_name: 'Bob' } } },
    },
    'expected body.user.user_profile.given_name "Ann", was "Bob"',
  ],
  [
    'users/remove-absent-role',
    { on: 'UserService_RemoveUserRole', reply: { status: 200, body: {} } },
    'expected status 404, was 200',
  ],
];

describe('a service that does something else', () => {
  it.each(OTHER_SERVICES)('is found by the probe of %s', async (rule, change, told) => {
    const booted = await same();
    await booted.control
      .post('/scenarios')
      .send({ name: 'other', rules: [change] })
      .expect(201);

    const [verdict] = await ask(booted, shippedProbes(rule), { url: await openFor(booted.understudy) });
    await booted.control.delete('/scenarios/other').expect(204);

    expect(verdict).toMatchObject({ rule, verdict: 'different', left: [] });
    expect(verdict!.differences).toContainEqual(expect.stringContaining(told));
  });
});
