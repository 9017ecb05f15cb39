import { OAuthError } from '../../errors.ts';
import type { Claims } from '../../environment/keys.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { withQuery } from '../custom-reply.ts';
import { isRegistered } from '../oauth/redirect-uris.ts';
import { expandAddress } from './address-template.ts';

type Client = Rows['clients'];
type Session = Rows['sessions'];

/** The parameters of /oidc/logout. */
export interface LogoutRequest {
  id_token_hint?: string | undefined;
  post_logout_redirect_uri?: string | undefined;
  state?: string | undefined;
  client_id?: string | undefined;
}

/** What an id_token says about the user, the session and the application. */
export interface LogoutHint {
  client_id: string;
  subject: string;
  session?: Session | undefined;
}

/** Reads the hint, which may have expired. Throws for a token that is not ours. */
export function readHint(env: Env, { id_token_hint, client_id }: LogoutRequest): LogoutHint | undefined {
  if (id_token_hint === undefined) return undefined;
  const { azp, sub, sid } = env.claims(id_token_hint) ?? ({} as Claims);
  // Access tokens have the same key, but no `azp`.
  if (typeof azp !== 'string' || typeof sub !== 'string')
    throw new OAuthError('invalid_request', 'id_token_hint invalid');
  if (client_id !== undefined && client_id !== azp)
    throw new OAuthError('invalid_request', 'client_id is not the one that the id_token_hint was made for');
  const session = typeof sid === 'string' ? env.sessions.find(sid) : undefined;
  return { client_id: azp, subject: sub, session };
}

/** Where the browser goes afterwards; undefined: nowhere. Throws for an address that is not registered. */
export function targetOf(
  env: Env,
  { post_logout_redirect_uri: address, state, client_id }: LogoutRequest,
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

/** Unverified: without a client id, the application may be any of the environment. */
function clientsThatMayBe(env: Env, id: string | undefined): Client[] {
  if (id === undefined) return env.clients.list('client_type', 'ALL');
  const client = env.clients.find(id);
  if (!client || client.organization_id)
    throw new OAuthError('invalid_request', `client_id ${id} is unknown`);
  return [client];
}
