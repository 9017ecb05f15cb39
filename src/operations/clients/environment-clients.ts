import type { Env } from '../../environment/env.ts';
import { page } from '../../environment/rows/page.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { failedPrecondition, notFound } from '../../errors.ts';
import type { Operations } from '../handler.ts';
import { pageSize } from '../lists.ts';
import { refuseUnusable, viewClient } from './client-view.ts';
import { chosenChanges } from './field-mask.ts';
import { addSecret, newClientId, removeSecret, switchSecret } from './secrets.ts';

type Client = Rows['clients'];

const typeOf = ({ client_type = 'ENV' }: Client) => client_type;

/**
 * Active secrets per client. Unverified: the environment's own client has the limit of organization clients.
 */
const MOST_SECRETS = { WEB_APP: 2, ENV: 5, SPA: 0, NTV: 0 };

export const environmentClients = {
  ClientService_ListClient({ query }, env) {
    // Unverified: the vendor's dashboard uses `include_plain_secret`. Here a secret is shown only when it is
    // created.
    const types = query['filter.client_type']?.length ? query['filter.client_type'] : ['ENV' as const];
    const [type] = types;
    const single = types.length === 1 || types.includes('ALL');
    const wanted = new Set<string>(types);
    const { rows, ...rest } = page(env.clients, {
      size: pageSize(query.page_size, env),
      token: query.page_token,
      by: ['client_type', single && type && !wanted.has('ALL') ? type : 'ALL'],
      where: single ? undefined : (client) => wanted.has(typeOf(client)),
    });
    return { ...rest, clients: rows.map(viewClient) };
  },

  ClientService_CreateClient({ body }, env) {
    refuseUnusable(body);
    const { access_token_expiry, ...given } = body;
    const now = env.clock.iso();
    const client = env.clients.insert({
      scopes: [],
      enforce_pkce: body.client_type !== 'WEB_APP',
      ...given,
      ...(Number(access_token_expiry ?? 0) > 0 && { access_token_expiry: Number(access_token_expiry) }),
      id: newClientId(env, 'skc'),
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
      ...chosenChanges(body, query.mask),
      update_time: env.clock.iso(),
    });
    return { client: viewClient(updated) };
  },

  ClientService_DeleteClient({ path }, env) {
    const client = getClient(env, path.client_id);
    // Unverified: the docs say that the service refuses this, but not with which error.
    if (typeOf(client) === 'ENV') throw failedPrecondition(`client ${client.id} is the environment's own`);
    env.remove('clients', client.id);
    return {};
  },

  ClientService_CreateClientSecret({ path }, env) {
    const client = getSecretOwner(env, path.client_id);
    return addSecret(env, client, mostSecrets(client));
  },

  ClientService_UpdateClientSecret({ path, query, body }, env) {
    const client = getSecretOwner(env, path.client_id);
    // ACTIVE is the zero value of its enum: over gRPC only the mask tells it from a field that is not set.
    const status = body.status ?? (query.mask ? 'ACTIVE' : undefined);
    const most = mostSecrets(client);
    return { secret: switchSecret(env, client, { id: path.secret_id, status, most }) };
  },

  ClientService_DeleteClientSecret({ path }, env) {
    // Unverified: the last secret cannot be removed, as with organization clients.
    removeSecret(env, getSecretOwner(env, path.client_id), path.secret_id);
    return {};
  },
} satisfies Partial<Operations>;

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

/** Unverified: a client of a protected resource has the limit of organization clients. */
const mostSecrets = (client: Client): number => (client.resource_id ? 5 : MOST_SECRETS[typeOf(client)]);
