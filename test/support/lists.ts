/** The lists of an environment, as calls. `of`: gives the ids of the items of a list that was read before. */
type Lists = (of: (call: string, member: string) => Record<string, string>[]) => string[];

const ORGANIZATIONS = '/api/v1/organizations?page_size=100';

export const LISTS: readonly Lists[] = [
  () => [
    ORGANIZATIONS,
    '/api/v1/environments',
    '/api/v1/environments/env_10000000000000001/settings/test-user',
    '/api/v1/users?page_size=100',
    '/api/v1/roles?include=permissions',
    '/api/v1/permissions?page_size=100',
    '/api/v1/clients?filter.client_type=ALL',
    '/api/v1/scopes',
    '/api/v1/resources?resource_type=MCP_SERVER',
    '/api/v1/connections?include=all',
    '/api/v1/connections/app?page_size=30',
    '/api/v1/organizations/-/connections?page_size=30',
    '/api/v1/connected_accounts?page_size=99',
    '/api/v1/providers?page_size=100',
    '/api/v1/my-providers?page_size=100',
    '/api/v1/tools?page_size=100',
    '/api/v1/mcp',
    '/api/v1/mcp/configs?page_size=30',
    '/api/v1/mcp/instances?page_size=30',
    '/api/v1/interceptors',
    '/api/v1/members',
  ],
  (of) =>
    of(ORGANIZATIONS, 'organizations').flatMap(({ id }) =>
      [
        'users?page_size=100',
        'roles?include=permissions',
        'domains',
        'directories',
        'clients',
        'session-policy',
        'application-session-policy',
        'portal_customizations',
        'settings/usermanagement',
      ]
        .map((list) => `/api/v1/organizations/${id}/${list}`)
        .concat(`/api/v1/tokens?organization_id=${id}`),
    ),
  (of) =>
    of('/api/v1/users?page_size=100', 'users').map(({ id }) => `/api/v1/webauthn/credentials?user_id=${id}`),
  (of) =>
    of('/api/v1/resources?resource_type=MCP_SERVER', 'resources').flatMap(({ id }) => [
      `/api/v1/resources/${id}/clients`,
      `/api/v1/user_consents?resource_id=${id}`,
    ]),
  (of) =>
    of(ORGANIZATIONS, 'organizations').flatMap(({ id: organization }) =>
      of(`/api/v1/organizations/${organization}/directories`, 'directories').flatMap(({ id }) =>
        [
          'users?include_detail=true',
          'groups?include_detail=true&include_external_groups=true',
          'groups/summary',
        ].map((list) => `/api/v1/organizations/${organization}/directories/${id}/${list}`),
      ),
    ),
  (of) =>
    of('/api/v1/roles?include=permissions', 'roles').flatMap(({ name }) => [
      `/api/v1/roles/${name}/dependents`,
      `/api/v1/roles/${name}/permissions:all`,
    ]),
];

/** What all lists of an environment answer, by call. `get` answers a call with its status and body. */
export async function answersOfLists(
  get: (call: string) => Promise<{ status: number; body: unknown }>,
): Promise<Record<string, unknown>> {
  const answers: Record<string, { status: number; body: unknown }> = {};
  const of = (call: string, member: string) =>
    (answers[call]!.body as Record<string, Record<string, string>[]>)[member]!;
  for (const lists of LISTS) for (const call of lists(of)) answers[call] = await get(call);
  return answers;
}

type Membership = Record<'organization_id', string>;

/** Without the port and the texts of page tokens, which name a place in one service only. The memberships of a user have no order that another list shows. */
export function comparable(answers: Record<string, unknown>): unknown {
  const text = JSON.stringify(answers).replaceAll(/(localhost|127\.0\.0\.1):\d+/g, 'HOST');
  return JSON.parse(text, (name, value: unknown) =>
    name === 'memberships'
      ? (value as Membership[]).toSorted((a, b) => a.organization_id.localeCompare(b.organization_id))
      : name === 'next_page_token'
        ? value !== ''
        : value,
  );
}
