import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { ApiError, notFound } from '../../contract/errors.ts';
import { flawOfRedirect } from '@understudy/text/addresses';
import { viewOrganizationClient } from '../clients/client-view.ts';
import { newClientId, newSecret } from '../clients/secrets.ts';
import type { Operations } from '../handler.ts';
import { refuseAddresses } from '../refusals.ts';
import { chosenFields } from '../update-mask.ts';

export type Client = Rows['clients'];
type GivenClient = Input<'ClientService_CreateResourceClient'>['body'];

export const resourceClients = {
  ClientService_ListResourceClients({ path }, env) {
    const { id } = env.resources.get(path.resource_id);
    const all = env.clients.list('resource_id', id).toReversed();
    const total_dcr_clients = all.filter(isSelfMade).length;
    const total_static_clients = all.length - total_dcr_clients;
    return { clients: all.map(viewResourceClient), total_dcr_clients, total_static_clients };
  },

  ClientService_CreateResourceClient({ path, body }, env) {
    const { id: resource_id } = env.resources.get(path.resource_id);
    refuseUnusable(body);
    const { redirect_uris, expiry, ...given } = body;
    const now = env.clock.iso();
    const secret = newSecret(env);
    const client = env.clients.insert({
      name: '',
      scopes: [],
      ...given,
      ...rowFields({ redirect_uris, expiry }),
      id: newClientId(env, 'm2m'),
      resource_id,
      create_time: now,
      update_time: now,
      secrets: [secret],
    });
    const view = viewResourceClient(client);
    const secrets = view.secrets.map((each) => ({ ...each, plain_secret: secret.secret }));
    return { client: { ...view, secrets }, plain_secret: secret.secret };
  },

  ClientService_GetResourceClient({ path }, env) {
    const client = getResourceClient(env, path);
    const consented_users = env.consents.list('client_id', client.id).map((consent) => ({
      consent_id: consent.id,
      external_user_id: externalUserId(env, consent),
      scopes: consent.scopes,
    }));
    return { client: viewResourceClient(client), consented_users };
  },

  ClientService_UpdateResourceClient({ path, query, body }, env) {
    const { id } = getResourceClient(env, path);
    refuseUnusable(body);
    const chosen = chosenFields(body, query.update_mask, { fields: FIELDS, noun: 'client' });
    const { expiry, name, description, scopes = [], custom_claims = [], audience = [] } = chosen;
    const updated = env.clients.update(id, {
      // An empty text changes nothing, also with a mask; an empty list clears (Python SDK, resources).
      ...(name && { name }),
      ...(description && { description }),
      ...('audience' in chosen && { audience }),
      ...('custom_claims' in chosen && { custom_claims }),
      ...('scopes' in chosen && { scopes }),
      ...rowFields({
        ...('redirect_uris' in chosen && { redirect_uris: chosen.redirect_uris ?? [] }),
        ...(Number(expiry) > 0 && { expiry }),
      }),
      update_time: env.clock.iso(),
    } as Partial<Client>);
    return { client: viewResourceClient(updated) };
  },

  ClientService_DeleteResourceClient({ path }, env) {
    env.remove('clients', getResourceClient(env, path).id);
    return {};
  },
} satisfies Partial<Operations>;

const FIELDS = [
  'name',
  'description',
  'scopes',
  'audience',
  'custom_claims',
  'expiry',
  'redirect_uris',
] as const satisfies readonly (keyof GivenClient)[];

/** Unverified (resources/external-user-of-consent): a user whom the application knows goes by the application's id. */
export function externalUserId(env: Env, { user_id, subject }: Rows['consents']): string {
  const external = user_id && env.users.find(user_id)?.external_id;
  if (!external) return subject;
  env.decidedBy('resources/external-user-of-consent');
  return external;
}

interface DifferentlyStored {
  redirect_uris?: string[] | undefined;
  expiry?: string | number | undefined;
}

/** The fields that a row has in another form. */
const rowFields = ({ redirect_uris, expiry }: DifferentlyStored) => ({
  ...(redirect_uris && { post_login_uris: redirect_uris }),
  ...(expiry !== undefined && ({ expiry: Number(expiry) || undefined } as { expiry?: number })),
});

/** Throws for addresses that no browser can be sent to. */
function refuseUnusable({ redirect_uris = [] }: GivenClient): void {
  refuseAddresses(
    redirect_uris.map((address, index) => [`client.redirect_uris[${index}]`, flawOfRedirect(address)]),
  );
}

/** Whether the client came by itself: it registered, or has a metadata document. */
export const isSelfMade = ({ is_dcr, metadata_uri }: Client): boolean =>
  is_dcr === true || metadata_uri !== undefined;

/**
 * Unverified (resources/most-registered-clients): the docs give no number. Anybody can add such clients, so there must
 * be one.
 */
const MOST_SELF_MADE = 1000;

/** Throws if the resource has as many clients that came by themselves as it may have. */
export function refuseFurtherClients(env: Env, { id }: Rows['resources']): void {
  if (env.clients.count('resource_id', id) < MOST_SELF_MADE) return;
  if (env.clients.list('resource_id', id).filter(isSelfMade).length < MOST_SELF_MADE) return;
  const most = `resource ${id} may have no more than ${MOST_SELF_MADE} clients that registered themselves`;
  throw new ApiError('permission_denied', `${most}: delete some, or reset the environment`).decidedBy(
    'resources/most-registered-clients',
  );
}

/** The client id that the client sends: for a metadata document, its address. */
export const publicId = ({ id, metadata_uri }: Client): string => metadata_uri ?? id;

export function viewResourceClient(client: Client) {
  return {
    ...viewOrganizationClient(client),
    resource_id: client.resource_id ?? '',
    redirect_uris: client.post_login_uris ?? [],
    is_dcr: client.is_dcr ?? false,
    is_cimd: client.metadata_uri !== undefined,
    metadata_uri: client.metadata_uri ?? '',
  };
}

/** A client of another resource is not found. */
function getResourceClient(env: Env, path: { resource_id: string; client_id: string }): Client {
  const resource = env.resources.get(path.resource_id);
  const client = env.clients.find(path.client_id);
  if (client?.resource_id !== resource.id) throw notFound('client', path.client_id);
  return client;
}
