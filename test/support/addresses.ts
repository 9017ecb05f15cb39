/** Rows by collection, as /state shows them. */
export type State = Record<string, { id: string }[]>;

/**
 * Replaces each path variable with every id, name or key of the environment that fits it. Most environments
 * have few.
 */
export function addressesOf(path: string, state: State): string[] {
  const [variable] = /\{[^}]+\}/.exec(path) ?? [];
  if (!variable) return [path];
  return valuesOf(variable.slice(1, -1), path, state).flatMap((value) =>
    addressesOf(path.replace(variable, encodeURIComponent(value)), state),
  );
}

const COLLECTIONS_OF: Record<string, string[]> = {
  organization_id: ['organizations'],
  org_id: ['organizations'],
  user_id: ['users'],
  role_name: ['roles'],
  permission_name: ['permissions'],
  client_id: ['clients'],
  connection_id: ['connections'],
  credential_id: ['passkeys'],
  registration_id: ['totp_registrations'],
  identifier: ['providers'],
  mcp_id: ['mcps'],
  mcp_config_id: ['mcp_configs'],
  external_id: ['organizations', 'users'],
  session_id: ['sessions'],
  transaction_id: ['login_transactions'],
  invitation_token: ['memberships'],
  token: ['magic_links'],
  link_token: ['webhook_portal_links'],
  endpoint_id: ['webhook_endpoints'],
  delivery_id: ['webhook_deliveries'],
  authorization_id: ['account_authorizations'],
  login_request_id: ['login_requests'],
  directory_id: ['directories'],
  domain_id: ['domains'],
  config_id: ['mcp_configs'],
  instance_id: ['mcp_instances'],
  resource_id: ['resources'],
  res_id: ['resources'],
  consent_id: ['consents'],
  link_id: ['portal_links'],
};

function valuesOf(variable: string, path: string, state: State): string[] {
  if (variable === 'event_type')
    return [path.includes('/frontend_events/') ? 'checkout.completed' : 'organization.created'];
  if (variable === 'origin') return ['https://app.example.com'];
  if (variable === 'test_request_id')
    return (state['connections'] as { tests?: { id: string }[] }[]).flatMap(({ tests = [] }) =>
      tests.map(({ id }) => id),
    );
  if (variable === 'protocol') return ['oidc', 'saml', 'oauth'];
  if (variable === 'env_id' || path.includes('/environments/{id}')) return ['env_10000000000000001'];
  if (variable === 'path') return ['v1/notes'];
  if (variable === 'error_id') return ['err_1'];
  if (path.startsWith('/mcp/') && variable === 'link_token') return textsIn(state['mcp_instances'], variable);
  if (variable === 'server_token') return textsIn(state['mcp_configs'], variable);
  if (/^(connection_name|key_id)$/.test(variable) && /\/(mcp|my-app-connections)\//.test(path))
    return textsIn(state['connections'], 'key_id');
  if (path.includes('/my-connected-accounts/')) return state['connected_accounts']!.map(({ id }) => id);
  const collections = COLLECTIONS_OF[variable] ?? [/([a-z_]+)\/\{id\}/.exec(path)?.[1] ?? variable];
  if (variable === 'type') return ['User'];
  if (variable === 'urn') return ['urn:ietf:params:scim:schemas:core:2.0:Group'];
  if (variable === 'id' && path.includes('/scim/v2/Users/'))
    return state['directory_users']!.map(({ id }) => id);
  if (variable === 'id' && path.includes('/scim/v2/Groups/'))
    return state['directory_groups']!.map(({ id }) => id);
  if (variable === 'secret_id')
    return state['clients']!.flatMap((client) =>
      (client as unknown as { secrets: { id: string }[] }).secrets.map(({ id }) => id),
    );
  const rows = collections.flatMap((collection) => state[collection] ?? []) as Row[];
  return rows.flatMap((row) => nameIn(row, variable) ?? []);
}

const textsIn = (rows: readonly object[] = [], member: string): string[] =>
  rows.map((row) => (row as Record<string, unknown>)[member]).filter((text) => typeof text === 'string');

interface Row {
  id: string;
  name?: string;
  external_id?: string;
  invitation_token?: string;
  token?: string;
}

function nameIn(row: Row, variable: string): string | undefined {
  if (variable === 'external_id' || variable === 'invitation_token') return row[variable];
  if (variable === 'link_token') return row.token;
  return variable.endsWith('_name') ? row.name : row.id;
}
