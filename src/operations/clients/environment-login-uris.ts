import { invalidArgument, notFound } from '../../contract/errors.ts';
import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import { flawOfPage, flawOfRedirect } from '@understudy/text/addresses';
import { taken } from '../conflicts.ts';
import type { Operations } from '../handler.ts';
import { refuseAddresses } from '../refusals.ts';

type Client = Rows['clients'];

/**
 * Unverified (environments/redirect-address-limit): the limit that the docs mention is that of an application's client.
 */
const MOST = 5;

/** The sign-in addresses of the environment's own client. */
export const environmentLoginUris = {
  ClientService_AddEnvironmentRedirectUri({ body: { redirect_uri } }, env) {
    const client = ownClient(env);
    refuseAddresses([['redirect_uri', flawOf(redirect_uri)]]);
    const known = client.post_login_uris ?? [];
    if (known.includes(redirect_uri))
      throw taken(env, 'redirectAddress', { key: redirect_uri, by: client }, 'clients');
    if (known.length >= MOST)
      throw invalidArgument(`client ${client.id} has ${MOST} redirect addresses already`).decidedBy(
        'environments/redirect-address-limit',
      );
    return change(env, client, { post_login_uris: [...known, redirect_uri] });
  },

  ClientService_RemoveEnvironmentRedirectUri({ query: { redirect_uri } }, env) {
    const client = ownClient(env);
    const known = client.post_login_uris ?? [];
    if (!known.includes(redirect_uri)) throw notFound('redirect address', redirect_uri);
    if (known.length === 1) throw invalidArgument('the last redirect address cannot be removed');
    const left = known.filter((each) => each !== redirect_uri);
    const next = known[0] === redirect_uri ? left.find((each) => !isTemplate(each)) : left[0];
    const first = next ?? left[0]!;
    return change(env, client, { post_login_uris: [first, ...left.filter((each) => each !== first)] });
  },

  ClientService_SetEnvironmentInitiateLoginUri({ body: { initiate_login_uri } }, env) {
    refuseAddresses([['initiate_login_uri', flawOf(initiate_login_uri)]]);
    return change(env, ownClient(env), { initiate_login_uri });
  },
} satisfies Partial<Operations>;

/** Has a placeholder of the organization (Scalekit docs, Organization-specific redirect URLs). */
const isTemplate = (address: string) => address.includes('{{');

/** A star and placeholders may stand for parts of the address. */
const flawOf = (address: string) =>
  flawOfRedirect(address) ?? flawOfPage(address.replaceAll(/\*|\{\{.*?\}\}/g, 'x'));

function ownClient(env: Env): Client {
  const client = env.clients.list('client_type', 'ENV').at(0);
  if (client) return client;
  throw notFound('client', 'of type ENV');
}

function change(env: Env, { id }: Client, changes: Partial<Client>) {
  const client = env.clients.update(id, { ...changes, update_time: env.clock.iso() });
  return {
    client_id: id,
    redirect_uris: client.post_login_uris ?? [],
    post_logout_redirect_uris: client.post_logout_redirect_uris ?? [],
    initiate_login_uri: client.initiate_login_uri ?? '',
  };
}
