import type { Env, Rows } from '../../state/env.ts';
import { notFound, OAuthError } from '../../contract/errors.ts';
import { ownCode, addressCode } from '@understudy/text/issued-code';

export type Resource = Rows['resources'];

/** Only the paths below `/resources` name a resource. */
export interface ResourcePath {
  resource_id?: string;
}

/** The resource that the path names. Throws for an unknown one, and for one of another environment. */
export function resourceOf(env: Env, { resource_id }: ResourcePath): Resource | undefined {
  if (resource_id === undefined) return undefined;
  // A path without an environment is fine, because a header may name it.
  const resource = env.resources.find(ownCode(env, resource_id) ?? '');
  if (!resource) throw notFound('resource', resource_id);
  return resource;
}

/** The claim `aud` of the resource's tokens (Scalekit docs, MCP authentication). */
export const audienceOf = ({ id, resource_uri }: Resource): string[] =>
  resource_uri ? [resource_uri, id] : [id];

/** Throws `invalid_target` if the parameter `resource` names something else (RFC 8707 2). */
export function refuseOtherTarget(env: Env, resource: Resource, asked: string | undefined): void {
  if (!asked || asked === resource.id) return;
  const own = [addressOf(env, resource), issuerOf(env, resource)].map(canonical);
  if (own.includes(canonical(asked))) return;
  throw new OAuthError('invalid_target', `resource is not ${addressOf(env, resource)}`);
}

/** Clients write an address as the URL standard does, with a slash after the host. */
const canonical = (address: string): string =>
  (URL.canParse(address) ? new URL(address).href : address).replace(/\/$/, '');

/**
 * Unverified (resources/default-lifetimes): the lifetimes in seconds if the resource has none (Scalekit docs, MCP
 * authentication: samples).
 */
const ACCESS_TOKEN_LIFETIME = 3600;
const REFRESH_TOKEN_LIFETIME = 2_592_000;

export const accessTokenLifetime = ({ access_token_expiry }: Resource) =>
  access_token_expiry ?? ACCESS_TOKEN_LIFETIME;
export const refreshTokenLifetime = ({ refresh_token_expiry }: Resource) =>
  refresh_token_expiry ?? REFRESH_TOKEN_LIFETIME;

/** The issuer of the resource. Its addresses begin with it. */
export const issuerOf = (env: Env, { id }: Resource): string =>
  `${env.baseUrl}/resources/${addressCode(env, id)}`;

/** The claim `iss` of tokens. The service names the environment in all of them, also in those for a resource. */
export function tokenIssuer(env: Env, resource_id: string | undefined): string {
  const isOwn = env.settings.get('settings').resource_token_issuer === 'resource';
  const resource = isOwn && resource_id !== undefined ? env.resources.find(resource_id) : undefined;
  return resource ? issuerOf(env, resource) : env.baseUrl;
}

/** Unverified (resources/resource-without-address): a resource without an address goes by that of its issuer. */
function addressOf(env: Env, resource: Resource): string {
  if (resource.resource_uri) return resource.resource_uri;
  env.decidedBy('resources/resource-without-address');
  return issuerOf(env, resource);
}

const scopesOf = (env: Env, { scope_ids }: Resource): Rows['scopes'][] =>
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

type Connection = Rows['connections'];

/** The connection with the customer's own login page; a new one has no address yet. */
export function ensureConnection(env: Env, resource: Resource): Connection {
  const known = resource.connection_id ? env.connections.find(resource.connection_id) : undefined;
  if (known) return known;
  const now = env.clock.iso();
  const connection = env.connections.insert({
    id: env.draw.id('conn'),
    key_id: `${resource.id}-login`,
    provider: 'CUSTOM',
    provider_key: 'CUSTOM',
    type: 'OIDC',
    is_login: true,
    status: 'DRAFT',
    enabled: false,
    ui_button_title: `Continue to ${resource.name}`,
    created_at: now,
    updated_at: now,
  });
  env.resources.update(resource.id, { connection_id: connection.id });
  return connection;
}

/** Users of the resource sign in on this page from now on (Scalekit docs, Bring your own authentication). */
export function sendToLoginPage(env: Env, resource: Resource, custom_login_uri: string): void {
  const { id } = ensureConnection(env, resource);
  const updated_at = env.clock.iso();
  env.connections.update(id, { custom_login_uri, status: 'COMPLETED', enabled: true, updated_at });
}
