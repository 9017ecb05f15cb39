import { rowNamed } from '../../contract/cause.ts';
import type { components } from '../../contract/openapi.gen.ts';
import type { Env, Rows } from '../../state/env.ts';
import { page } from '../../rows/page.ts';
import { failedPrecondition, notFound, invalidArgument } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import { listing } from '../lists.ts';
import { chosenFields, isFilled } from '../update-mask.ts';
import { refuseUnusable, viewClient } from './client-view.ts';
import { checkedAllowlist } from './ip-allowlist.ts';
import { addSecret, newClientId, removeSecret, switchSecret, type SecretLimit } from './secrets.ts';

type Client = Rows['clients'];

const typeOf = ({ client_type = 'ENV' }: Client) => client_type;

/**
 * Active secrets per client. Unverified (clients/own-client-secret-limit): the environment's own client has the limit
 * of organization clients.
 */
const MOST_SECRETS = { WEB_APP: 2, ENV: 5, SPA: 0, NTV: 0 };

/** How the ids of applications begin (Scalekit docs, Multi-app authentication). */
const PREFIXES = { WEB_APP: 'webc', SPA: 'spac', NTV: 'ntvc' } as const;

export const environmentClients = {
  ClientService_ListClient({ query }, env) {
    // Unverified (clients/plain-secrets-in-lists): the vendor's dashboard uses `include_plain_secret`. Here a secret is
    // shown only when it is created.
    if (query.include_plain_secret) env.decidedBy('clients/plain-secrets-in-lists');
    const types = query['filter.client_type']?.length ? query['filter.client_type'] : ['ENV' as const];
    const [type] = types;
    const single = types.length === 1 || types.includes('ALL');
    const wanted = new Set<string>(types);
    const { rows, ...rest } = page(env.clients, {
      ...listing(query, env),
      by: ['client_type', single && type && !wanted.has('ALL') ? type : 'ALL'],
      where: single ? undefined : (client) => wanted.has(typeOf(client)),
    });
    return { ...rest, clients: rows.map(viewClient) };
  },

  ClientService_CreateClient({ body }, env) {
    refuseUnusable(body);
    const { access_token_expiry, ip_allowlist, ...given } = body;
    const now = env.clock.iso();
    const client = env.clients.insert({
      scopes: [],
      enforce_pkce: body.client_type !== 'WEB_APP',
      ...given,
      ...(Number(access_token_expiry ?? 0) > 0 && { access_token_expiry: Number(access_token_expiry) }),
      ...(ip_allowlist && { ip_allowlist: checkedAllowlist(ip_allowlist, body.client_type) }),
      id: newClientId(env, PREFIXES[body.client_type]),
      create_time: now,
      update_time: now,
      secrets: [],
    });
    return { client: viewClient(client) };
  },

  ClientService_GetClient({ path }, env) {
    return { client: viewClient(getClient(env, path.client_id)) };
  },

  ClientService_UpdateClient({ path, query, body }, env) {
    const client = getClient(env, path.client_id);
    refuseUnusable(body);
    const updated = env.clients.update(client.id, {
      ...chosenChanges(body, query.mask, client),
      update_time: env.clock.iso(),
    });
    return { client: viewClient(updated) };
  },

  ClientService_DeleteClient({ path }, env) {
    const client = getClient(env, path.client_id);
    // Unverified (clients/delete-own-client): the docs say that the service refuses this, but not with which error.
    if (typeOf(client) === 'ENV')
      throw failedPrecondition(
        `client ${client.id} is the environment's own client, which cannot be deleted`,
        { rows: [rowNamed('clients', client)] },
      ).decidedBy('clients/delete-own-client');
    env.remove('clients', client.id);
    return {};
  },

  ClientService_CreateClientSecret({ path }, env) {
    const client = getSecretOwner(env, path.client_id);
    return addSecret(env, client, limitOf(client));
  },

  ClientService_UpdateClientSecret({ path, query, body }, env) {
    const client = getSecretOwner(env, path.client_id);
    // ACTIVE is the zero value of its enum: over gRPC only the mask tells it from a field that is not set.
    const status = body.status ?? (query.mask ? 'ACTIVE' : undefined);
    const limit = limitOf(client);
    return { secret: switchSecret(env, client, { id: path.secret_id, status, limit }) };
  },

  ClientService_DeleteClientSecret({ path }, env) {
    removeSecret(env, getSecretOwner(env, path.client_id), path.secret_id, lastSecret);
    return {};
  },
} satisfies Partial<Operations>;

/**
 * The message is that of the docs of the Python SDK (secrets of resource clients).
 * Unverified (clients/last-secret-of-application): the last secret of an application cannot be removed either.
 */
const lastSecret = () =>
  invalidArgument('at least one secret is required').decidedBy('clients/last-secret-of-application');

/** Clients of organizations and of protected resources are not found here. */
function getClient(env: Env, id: string): Client {
  const client = env.clients.find(id);
  if (!client || client.organization_id || client.resource_id) throw notFound('client', id);
  return client;
}

/** The secrets of a protected resource's client have no operations of their own. */
function getSecretOwner(env: Env, id: string): Client {
  const client = env.clients.find(id);
  return client?.resource_id ? client : getClient(env, id);
}

/**
 * Unverified (clients/resource-client-secret-limit): a client of a protected resource has the limit of organization
 * clients.
 */
function limitOf(client: Client): SecretLimit {
  if (client.resource_id) return { most: 5, rule: 'clients/resource-client-secret-limit' };
  const type = typeOf(client);
  const most = MOST_SECRETS[type];
  return type === 'ENV' ? { most, rule: 'clients/own-client-secret-limit' } : { most };
}

type ClientUpdate = components['schemas']['UpdateClient'];

const FIELDS = [
  'name',
  'back_channel_logout_uris',
  'post_logout_redirect_uris',
  'initiate_login_uri',
  'post_login_uris',
  'access_token_expiry',
  'scopes',
  'custom_claims',
  'disallow_scalekit_api_access',
  'grant_types',
  'enforce_pkce',
  'ip_allowlist',
] as const satisfies readonly (keyof ClientUpdate)[];

function chosenChanges(body: ClientUpdate, mask: string | undefined, client: Client) {
  const chosen = chosenFields(body, mask, { fields: FIELDS, noun: 'client', isGiven });
  const { access_token_expiry, name, scopes = [], ip_allowlist, ...rest } = chosen;
  if ('name' in chosen && !name) throw invalidArgument('name of a client cannot be empty');
  return {
    ...rest,
    ...(name && { name }),
    ...('ip_allowlist' in chosen && {
      ip_allowlist: ip_allowlist && checkedAllowlist(ip_allowlist, client.client_type),
    }),
    ...('scopes' in chosen && { scopes }),
    ...('access_token_expiry' in chosen && { access_token_expiry: Number(access_token_expiry) || undefined }),
  };
}

/** An `optional` text in protobuf can be set to empty on purpose. */
const isGiven = (value: unknown, field: string) =>
  isFilled(value) || (field === 'initiate_login_uri' && value === '');
