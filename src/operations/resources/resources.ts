import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { page } from '../../rows/page.ts';
import { invalidArgument, missingFields } from '../../contract/errors.ts';
import { flawOfPage } from '@understudy/text/addresses';
import { addressCode } from '@understudy/text/issued-code';
import type { Operations } from '../handler.ts';
import { listing } from '../lists.ts';
import { refuseAddresses } from '../refusals.ts';
import {
  accessTokenLifetime,
  ensureConnection,
  offeredScopes,
  protectedMetadata,
  refreshTokenLifetime,
  sendToLoginPage,
  type Resource,
} from './resource.ts';
import { refuseEntries } from './document-allowlist.ts';
import { scopeIds, viewScope } from './scopes.ts';
import { chosenFields } from '../update-mask.ts';

const MOST = 30;

type NewResource = Input<'ClientService_CreateResource'>['body'];
type ResourceUpdate = Input<'ClientService_UpdateResource'>['body'];

export const resources = {
  ClientService_ListResources({ query }, env) {
    const { rows, ...rest } = page(env.resources, {
      ...listing(query, env, MOST),
      by: ['resource_type', requiredType(query.resource_type, 'resource_type')],
    });
    return { ...rest, resources: rows.map((each) => viewResource(env, each)) };
  },

  ClientService_CreateResource({ body }, env) {
    const resource_type = requiredType(body.resource_type, 'resource.resource_type');
    const { scopes = [], access_token_expiry, refresh_token_expiry, ...given } = body;
    refuseUnusable(body);
    refuseEntries(body.cimd_client_allowlist);
    const now = env.clock.iso();
    const resource = env.resources.insert({
      ...inOneOrder(given),
      ...lifetimes({ access_token_expiry, refresh_token_expiry }),
      id: env.draw.id('res'),
      resource_type,
      scope_ids: scopeIds(env, scopes),
      create_time: now,
      update_time: now,
    });
    return { resource: viewResource(env, resource) };
  },

  ClientService_GetResource({ path }, env) {
    return { resource: viewResource(env, env.resources.get(path.resource_id)) };
  },

  ClientService_UpdateResource({ path, query, body }, env) {
    const resource = env.resources.get(path.resource_id);
    refuseUnusable(body);
    refuseEntries(body.cimd_client_allowlist);
    const { update_mask: mask } = query;
    const fields = mask ? FIELDS : FIELDS.filter((field) => !MASKED.some((each) => each === field));
    const chosen = chosenFields(body, mask, { fields, noun: 'resource' });
    if ('name' in chosen && !chosen.name) throw invalidArgument('name of a resource cannot be empty');
    const { scopes, custom_connection_settings: login, ...rest } = chosen;
    const { access_token_expiry, refresh_token_expiry, ...plain } = rest;
    if (login) sendToLoginPage(env, resource, login.authorize_uri);
    const updated = env.resources.update(resource.id, {
      ...plain,
      ...lifetimes({ access_token_expiry, refresh_token_expiry }),
      ...('scopes' in chosen && { scope_ids: scopeIds(env, scopes ?? []) }),
      update_time: env.clock.iso(),
    } as Partial<Resource>);
    return { resource: viewResource(env, updated) };
  },

  ClientService_DeleteResource({ path }, env) {
    const { id, connection_id } = env.resources.get(path.resource_id);
    env.remove('resources', id);
    if (connection_id) env.remove('connections', connection_id);
    return {};
  },

  ClientService_DeleteResourceProvider({ path }, env) {
    const { id, connection_id } = env.resources.get(path.resource_id);
    if (connection_id) env.remove('connections', connection_id);
    const updated = env.resources.update(id, { provider: undefined, update_time: env.clock.iso() });
    return { resource: viewResource(env, updated) };
  },

  ClientService_EnsureResourceConnection({ path }, env) {
    return { connection: viewConnection(ensureConnection(env, env.resources.get(path.resource_id))) };
  },
} satisfies Partial<Operations>;

/** A message of gRPC has its members in another order than JSON, and both must make the same row. */
const inOneOrder = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1))) as T;

/** Without a mask, an update leaves these as they are. */
const MASKED = ['cimd_client_allowlist', 'cimd_client_allowlist_enabled'] as const;

const FIELDS = [
  'name',
  'description',
  'resource_uri',
  'access_token_expiry',
  'refresh_token_expiry',
  'disable_dynamic_client_registration',
  'logo_uri',
  'provider',
  'resource_id',
  'scopes',
  'custom_connection_settings',
  'intersect_scopes_user_permission',
  'enable_cimd',
  'xaa_enabled',
  'resource_scope_selection_allowed',
  ...MASKED,
] as const satisfies readonly (keyof ResourceUpdate)[];

function requiredType(type: NewResource['resource_type'], field: string): Resource['resource_type'] {
  if (type !== 'RESOURCE_TYPE_UNSPECIFIED') return type;
  throw missingFields(field);
}

/**
 * Unverified (resources/usable-addresses): the docs give no rule for the address. A fragment could not be part of a
 * request (RFC 8707 2).
 */
function refuseUnusable({ resource_uri = '', custom_connection_settings: login }: GivenAddresses): void {
  const fragment = resource_uri.includes('#') && 'value must not have a fragment';
  refuseAddresses(
    [
      ['resource.resource_uri', resource_uri !== '' && (flawOfPage(resource_uri) ?? fragment)],
      ['resource.custom_connection_settings.authorize_uri', login && flawOfPage(login.authorize_uri)],
    ],
    'resources/usable-addresses',
  );
}

type GivenAddresses = Pick<ResourceUpdate, 'resource_uri' | 'custom_connection_settings'>;

type Lifetimes = Pick<ResourceUpdate, 'access_token_expiry' | 'refresh_token_expiry'>;

/** 0 means the default. */
const lifetimes = (given: { [K in keyof Lifetimes]: Lifetimes[K] | undefined }) =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Number(value) || undefined]],
    ),
  );

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
    // Unverified (resources/metadata-address): the docs name the field, but not which address it has.
    protected_metadata_uri: `${env.baseUrl}/.well-known/oauth-protected-resource/resources/${addressCode(env, id)}`,
    resource_id: resource.resource_id ?? '',
    scopes: viewScopes(env, resource),
    ...(connection && { connection_details: viewConnection(connection) }),
    disallow_connection_update: false,
    intersect_scopes_user_permission: resource.intersect_scopes_user_permission ?? false,
    enable_cimd: resource.enable_cimd ?? false,
    xaa_enabled: resource.xaa_enabled ?? false,
    cimd_client_allowlist: resource.cimd_client_allowlist ?? [],
    cimd_client_allowlist_enabled: resource.cimd_client_allowlist_enabled ?? false,
    resource_scope_selection_allowed: resource.resource_scope_selection_allowed ?? false,
  };
}

/**
 * All scopes of the environment; `enabled` marks those that the resource grants. As in the docs of the Python SDK for
 * one resource. Unverified (resources/scopes-in-lists): a list of resources shows the same.
 */
function viewScopes(env: Env, resource: Resource) {
  const offered = new Set(offeredScopes(env, resource));
  return env.scopes.list().map((scope) => ({ ...viewScope(scope), enabled: offered.has(scope.name) }));
}

function viewConnection({ id, status, enabled, provider, custom_login_uri }: Rows['connections']) {
  return {
    id,
    type: 'CUSTOM' as const,
    status,
    enabled,
    settings: { ...(custom_login_uri && { authorize_uri: custom_login_uri }) },
    provider,
  };
}
