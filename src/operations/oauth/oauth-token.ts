import { OAuthError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { ORGANIZATION_CLIENT_LIFETIME } from '../clients/client-view.ts';
import { isUsable } from '../clients/secrets.ts';
import type { Operations } from '../handler.ts';
import { tokenClaims } from '../token-claims.ts';

const MINUTE = 60;

export const oauthToken = {
  OAuth_Token({ body }, world) {
    const { grant_type, scope } = body ?? {};
    if (!grant_type) throw new OAuthError('invalid_request', 'grant_type missing');
    const client = authenticated(world, body?.client_id, body?.client_secret);
    if (grant_type !== 'client_credentials') {
      throw new OAuthError('unsupported_grant_type', `${grant_type} not supported`);
    }
    // Unverified: a client that lists no grant types has all of them.
    if (client.grant_types?.length && !client.grant_types.includes(grant_type)) {
      throw new OAuthError('unauthorized_client', `client missing grant type ${grant_type}`);
    }
    const scopes = grantedScopes(client, scope);
    const lifetime = lifetimeOf(world, client);
    const access_token = world.token(claims(world, client, scopes, lifetime));
    // The service answers what is left of the lifetime, which is a second less than all of it.
    return { access_token, token_type: 'Bearer', expires_in: lifetime - 1, scope: scopes.join(' ') };
  },
} satisfies Partial<Operations>;

/** The client that the credentials belong to; its secret has been used then. */
function authenticated(world: World, id: string | undefined, secret: string | undefined): Rows['clients'] {
  if (!id) throw new OAuthError('invalid_client', 'client_id missing');
  const client = world.clients.find(id);
  const used = client?.secrets.find((each) => each.secret === secret && isUsable(world, each));
  if (!client || !used) throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
  const last_used_time = world.clock.iso();
  const secrets = client.secrets.map((each) => (each === used ? { ...each, last_used_time } : each));
  return world.clients.update(client.id, { secrets });
}

/** All of the client's, or those that are asked for. A client of the environment that lists none may ask for any. */
function grantedScopes(client: Rows['clients'], asked: string | undefined): string[] {
  if (!asked) return client.scopes;
  const wanted = asked.split(' ').filter((scope) => scope !== '');
  const isLimited = client.organization_id !== undefined || client.scopes.length > 0;
  const refused = isLimited ? wanted.find((scope) => !client.scopes.includes(scope)) : undefined;
  if (refused !== undefined)
    throw new OAuthError('invalid_scope', `scope ${refused} is not one of the client's`);
  return wanted;
}

function lifetimeOf(world: World, client: Rows['clients']): number {
  if (client.organization_id) return client.expiry ?? ORGANIZATION_CLIENT_LIFETIME;
  return client.access_token_expiry ?? world.settings.get('settings').client_access_token_expiry * MINUTE;
}

/** Go reads `scope` and wants `aud` as a list; Node and Python read `scopes` (reference: login-and-tokens 2.2 to 2.4). */
function claims(world: World, client: Rows['clients'], scopes: readonly string[], lifetime: number) {
  const custom = (client.custom_claims ?? []).map(({ key, value = '' }) => [key, value]);
  return {
    ...tokenClaims(world, lifetime),
    sub: client.id,
    aud: client.organization_id ? (client.audience ?? []) : [client.id],
    client_id: client.id,
    ...(client.organization_id && { oid: client.organization_id }),
    scope: scopes.join(' '),
    scopes,
    ...(custom.length > 0 && { custom_claims: Object.fromEntries(custom) }),
  };
}
