import { OAuthError } from '../../errors.ts';
import type { Claims } from '../../environment/keys.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { withQuery } from '../answer.ts';
import { isRegistered } from '../oauth/redirect-uris.ts';
import { expandAddress } from './address-template.ts';

type Client = Rows['clients'];
type Session = Rows['sessions'];

/** What an application asks for at /oidc/logout. */
export interface Asked {
  id_token_hint?: string | undefined;
  post_logout_redirect_uri?: string | undefined;
  state?: string | undefined;
  client_id?: string | undefined;
}

/** What an id_token tells of who is to be signed out, and by whom. */
export interface Hint {
  client_id: string;
  subject: string;
  session?: Session | undefined;
}

/** What the hint says; it may have expired (reference: login-and-tokens 1.7). Throws for one that is not ours. */
export function readHint(env: Env, { id_token_hint, client_id }: Asked): Hint | undefined {
  if (id_token_hint === undefined) return undefined;
  const { azp, sub, sid } = env.claims(id_token_hint) ?? ({} as Claims);
  // Access tokens are signed with the same key, and name nobody that they were made for.
  if (typeof azp !== 'string' || typeof sub !== 'string')
    throw new OAuthError('invalid_request', 'id_token_hint invalid');
  if (client_id !== undefined && client_id !== azp)
    throw new OAuthError('invalid_request', 'client_id is not the one that the id_token_hint was made for');
  const session = typeof sid === 'string' ? env.sessions.find(sid) : undefined;
  return { client_id: azp, subject: sub, session };
}

/** Where the browser goes afterwards; undefined: nowhere. Throws for an address that nobody has registered. */
export function targetOf(
  env: Env,
  { post_logout_redirect_uri: address, state, client_id }: Asked,
  session: Session | undefined,
): string | undefined {
  if (!address) return undefined;
  const organization = session?.organization_id ? env.organizations.find(session.organization_id) : undefined;
  for (const { post_logout_redirect_uris: registered } of clientsThatMayBe(env, client_id)) {
    const expanded = (registered ?? []).map((uri) => [uri, expandAddress(uri, organization)] as const);
    const chosen = expanded.find(
      ([uri, whole]) => whole !== undefined && (address === uri || address === whole),
    );
    if (chosen) return withQuery(chosen[1]!, { state });
    if (expanded.length === 0 && isRegistered(undefined, address)) return withQuery(address, { state });
  }
  throw new OAuthError('invalid_request', `post_logout_redirect_uri invalid: ${address}`);
}

/** Unverified: where the application does not say which one it is, it may be any of the environment. */
function clientsThatMayBe(env: Env, id: string | undefined): Client[] {
  if (id === undefined) return env.clients.list('client_type', 'ALL');
  const client = env.clients.find(id);
  if (!client || client.organization_id)
    throw new OAuthError('invalid_request', `client_id ${id} is unknown`);
  return [client];
}
