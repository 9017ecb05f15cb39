import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { rpcs, type Rpc } from './descriptors.ts';
import { Comparison, type Document } from './drift.ts';

const IN_MINUTES = 'The service answers timeouts in minutes, whatever unit they were given in.';

const NO_ORGANIZATION = 'An RPC that names the organization has the other address of the operation.';
const NAMES_ONLY = 'The operation lists ids and names alone.';
const NO_ERROR = 'It answers with an empty error; the real ones are described once, for all operations.';

/** Intended differences between the contract and the descriptors, each with its reason. */
const KNOWN: Readonly<Record<string, string>> = {
  'query connected_accounts.GetConnectedAccountRequest.id: missing':
    'Missing from the path `this` alone, which stands for the account of the token in place of an id.',
  'AuthService_ResendPasswordless: body is *, not none':
    'Newer SDKs send a body by the other name of the RPC, ResendAuthPasswordless.',
  ...Object.fromEntries(
    ['OrganizationSessionPolicySettings', 'ApplicationSessionPolicySettings'].flatMap((message) =>
      ['absolute_session_timeout_unit', 'idle_session_timeout_unit'].flatMap((field) =>
        ['HOURS', 'DAYS'].map((unit) => [
          `response organizations.${message}.${field}: no ${unit}`,
          IN_MINUTES,
        ]),
      ),
    ),
  ),
  'query connections.GetConnectionContextRequest.organization_id: missing': NO_ORGANIZATION,
  'query connections.UpdateConnectionContextRequest.organization_id: missing': NO_ORGANIZATION,
  ...Object.fromEntries(
    ['total_users', 'updated_at', 'group_detail'].map((field) => [
      `DirectoryService_ListDirectoryGroupsSummary: response directories.DirectoryGroup.${field}: missing`,
      NAMES_ONLY,
    ]),
  ),
  ...Object.fromEntries(
    [
      'debug_info',
      'help_info',
      'localized_message_info',
      'resource_info',
      'request_info',
      'validation_error_info',
      'tool_error_info',
    ].map((field) => [`Dummy_DummyService: response errdetails.ErrorInfo.${field}: missing`, NO_ERROR]),
  ),
};

/** Differences of an operation that the list does not have, for all operations or for this one. */
const unknownTo = (rpc: Rpc): string[] => {
  const differences = comparison.differences(rpc);
  return differences.filter((each) => !(each in KNOWN) && !(`${rpc.name}: ${each}` in KNOWN));
};

const read = () => JSON.parse(readFileSync(join(PACKAGE_ROOT, 'dist/openapi.json'), 'utf8')) as Document;

const described = await rpcs();
const comparison = new Comparison(read());
const supported = described.filter((rpc) => comparison.supports(rpc));

describe("the contract has each binding, field and enum value of the SDK's descriptors", () => {
  it.each(supported)('$name', (rpc) => {
    expect(unknownTo(rpc)).toEqual([]);
  });

  it('has no outdated entries in the list of known differences', () => {
    const found = new Set(
      supported.flatMap((rpc) =>
        comparison.differences(rpc).flatMap((each) => [each, `${rpc.name}: ${each}`]),
      ),
    );

    expect(Object.keys(KNOWN).filter((difference) => !found.has(difference))).toEqual([]);
  });
});

describe('the comparison', () => {
  const rename = (object: object, from: string, to: string) => {
    const members = object as Record<string, unknown>;
    members[to] = members[from];
    delete members[from];
  };
  const ORGANIZATION = '/api/v1/organizations/{id}';

  it.each<[string, string, (document: Document) => void, string]>([
    [
      'a missing binding',
      'OrganizationService_GetOrganization',
      ({ paths }) => rename(paths, ORGANIZATION, `${ORGANIZATION}/more`),
      `OrganizationService_GetOrganization: no binding GET ${ORGANIZATION}`,
    ],
    [
      'a body with another binding',
      'OrganizationService_CreateOrganization',
      ({ paths }) => delete paths['/api/v1/organizations']!.post!['x-body-field'],
      'OrganizationService_CreateOrganization: body is *, not organization',
    ],
    [
      'a missing query parameter',
      'OrganizationService_ListOrganization',
      ({ paths }) => (paths['/api/v1/organizations']!.get!.parameters = []),
      'query organizations.ListOrganizationsRequest.page_token: missing',
    ],
    [
      'a missing field of a response',
      'OrganizationService_GetOrganization',
      ({ components }) => rename(components.schemas['Organization']!.properties!, 'region_code', 'region'),
      'response organizations.Organization.region_code: missing',
    ],
    [
      'a field of another type',
      'OrganizationService_GetOrganization',
      ({ components }) =>
        (components.schemas['Organization']!.properties!['external_id'] = { type: 'boolean' }),
      'response organizations.Organization.external_id: boolean, not string',
    ],
    [
      'a missing enum value',
      'OrganizationService_GetOrganization',
      ({ components }) => (components.schemas['Organization']!.properties!['region_code'] = { enum: ['US'] }),
      'response organizations.Organization.region_code: no EU',
    ],
    [
      'a missing enum',
      'OrganizationService_GetOrganization',
      ({ components }) =>
        (components.schemas['Organization']!.properties!['region_code'] = { type: 'string' }),
      'response organizations.Organization.region_code: names no words',
    ],
  ])('reports %s', (_, name, change, difference) => {
    const document = read();
    change(document);
    const rpc = described.find((each) => each.name === name)!;

    expect(new Comparison(document).differences(rpc)).toContain(difference);
  });
});
