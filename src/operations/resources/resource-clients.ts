import type { Input } from '../../contract/types.ts';
import { validationError } from '../../errors.ts';
import { flawOfRedirect } from '../../text/addresses.ts';
import { newClientId, newSecret } from '../clients/secrets.ts';
import type { Operations } from '../handler.ts';
import { externalUserId } from './consents.ts';
import { getResourceClient, isSelfMade, viewResourceClient, type Client } from './resource-client-view.ts';
import { chosenFields } from './update-mask.ts';

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
    const { redirect_uris, expiry, scopes, custom_claims, name, description, audience } = chosen;
    const updated = env.clients.update(id, {
      // An empty text changes nothing, also with a mask; an empty list clears (Python SDK, resources).
      ...(name && { name }),
      ...(description && { description }),
      ...(audience?.length && { audience }),
      ...('custom_claims' in chosen && { custom_claims: custom_claims ?? [] }),
      ...('scopes' in chosen && { scopes: scopes ?? [] }),
      ...rowFields({
        ...('redirect_uris' in chosen && { redirect_uris: redirect_uris ?? [] }),
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
  const violations = redirect_uris.flatMap((address, index) => {
    const description = flawOfRedirect(address);
    return description
      ? [{ field: `client.redirect_uris[${index}]`, description, constraint: 'string.uri' }]
      : [];
  });
  if (violations.length > 0) throw validationError(violations);
}
