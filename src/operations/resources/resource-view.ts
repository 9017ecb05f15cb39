import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { addressCode } from '../../text/issued-code.ts';

export type Resource = Rows['resources'];

/** Unverified: the lifetimes in seconds if the resource has none (Scalekit docs, MCP authentication: samples). */
const ACCESS_TOKEN_LIFETIME = 3600;
const REFRESH_TOKEN_LIFETIME = 2_592_000;

export const accessTokenLifetime = ({ access_token_expiry }: Resource) =>
  access_token_expiry ?? ACCESS_TOKEN_LIFETIME;
export const refreshTokenLifetime = ({ refresh_token_expiry }: Resource) =>
  refresh_token_expiry ?? REFRESH_TOKEN_LIFETIME;

/** The issuer of the resource. Its addresses begin with it. */
export const issuerOf = (env: Env, { id }: Resource): string =>
  `${env.baseUrl}/resources/${addressCode(env, id)}`;

/** Unverified: a resource without an address goes by that of its issuer. */
export const addressOf = (env: Env, resource: Resource): string =>
  resource.resource_uri || issuerOf(env, resource);

export const scopesOf = (env: Env, { scope_ids }: Resource): Rows['scopes'][] =>
  scope_ids.map((id) => env.scopes.get(id));

/** The names of the scopes that a client may ask for. */
export const offeredScopes = (env: Env, resource: Resource): string[] =>
  scopesOf(env, resource).flatMap(({ enabled, name }) => (enabled ? [name] : []));

/** Those of the resource that the client may get: the scopes that the client lists, or all. */
export function clientScopes(env: Env, resource: Resource, { scopes }: Rows['clients']): ReadonlySet<string> {
  const listed = new Set(scopes);
  return new Set(offeredScopes(env, resource).filter((each) => listed.size === 0 || listed.has(each)));
}

export function protectedMetadata(env: Env, resource: Resource) {
  return {
    resource: addressOf(env, resource),
    resource_name: resource.name,
    authorization_servers: [issuerOf(env, resource)],
    bearer_methods_supported: ['header'],
    scopes_supported: offeredScopes(env, resource),
  };
}

export function viewScope({ id, name, description, enabled }: Rows['scopes']) {
  return { id, name, description: description ?? '', enabled };
}

export function viewResource(env: Env, resource: Resource) {
  const { id, name, resource_type, create_time, update_time, connection_id } = resource;
  const connection = connection_id ? env.connections.find(connection_id) : undefined;
  return {
    id,
    name,
    resource_uri: resource.resource_uri ?? '',
    description: resource.description ?? '',
    resource_type,
    disable_dynamic_client_registration: resource.disable_dynamic_client_registration ?? false,
    logo_uri: resource.logo_uri ?? '',
    access_token_expiry: String(accessTokenLifetime(resource)),
    refresh_token_expiry: String(refreshTokenLifetime(resource)),
    create_time,
    update_time,
    provider: resource.provider ?? '',
    protected_metadata: protectedMetadata(env, resource),
    // Unverified: the docs name the field, but not which address it has.
    protected_metadata_uri: `${env.baseUrl}/.well-known/oauth-protected-resource/resources/${addressCode(env, id)}`,
    resource_id: resource.resource_id ?? '',
    scopes: scopesOf(env, resource).map(viewScope),
    ...(connection && { connection_details: viewConnection(connection) }),
    disallow_connection_update: false,
    intersect_scopes_user_permission: resource.intersect_scopes_user_permission ?? false,
    enable_cimd: resource.enable_cimd ?? false,
    xaa_enabled: resource.xaa_enabled ?? false,
  };
}

export function viewConnection({ id, status, enabled, provider, custom_login_uri }: Rows['connections']) {
  return {
    id,
    type: 'CUSTOM' as const,
    status,
    enabled,
    settings: { ...(custom_login_uri && { authorize_uri: custom_login_uri }) },
    provider,
  };
}
