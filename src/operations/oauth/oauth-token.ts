import { OAuthError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';

const MINUTE = 60;
/** Of an organization's client that says nothing else (reference: login-and-tokens 1.5). */
const ORGANIZATION_CLIENT_LIFETIME = 3600;

export const oauthToken = {
  OAuth_Token({ body }, world) {
    const { grant_type, scope } = body ?? {};
    if (!grant_type) throw new OAuthError('invalid_request', 'grant_type missing');
    const client = authenticated(world, body?.client_id, body?.client_secret);
    if (grant_type !== 'client_credentials') {
      throw new OAuthError('unsupported_grant_type', `${grant_type} not supported`);
    }
    const scopes = grantedScopes(client, scope);
    const lifetime = lifetimeOf(world, client);
    const access_token = world.token(claims(world, client, scopes, lifetime));
    // The service answers what is left of the lifetime, which is a second less than all of it.
    return { access_token, token_type: 'Bearer', expires_in: lifetime - 1, scope: scopes.join(' ') };
  },
} satisfies Partial<Operations>;

function authenticated(world: World, id: string | undefined, secret: string | undefined): Rows['clients'] {
  if (!id) throw new OAuthError('invalid_client', 'client_id missing');
  const client = world.clients.find(id);
  const known = client?.secrets.some((each) => each.secret === secret);
  if (!client || !known) throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
  return client;
}

/** All of the client's, or those that are asked for. The environment's own client may ask for any. */
function grantedScopes(client: Rows['clients'], asked: string | undefined): string[] {
  if (!asked) return client.scopes;
  const wanted = asked.split(' ').filter((scope) => scope !== '');
  const refused = client.organization_id ? wanted.find((scope) => !client.scopes.includes(scope)) : undefined;
  if (refused !== undefined)
    throw new OAuthError('invalid_scope', `scope ${refused} is not one of the client's`);
  return wanted;
}

function lifetimeOf(world: World, client: Rows['clients']): number {
  if (client.organization_id) return client.expiry ?? ORGANIZATION_CLIENT_LIFETIME;
  return world.settings.get('settings').client_access_token_expiry * MINUTE;
}

/** Go reads `scope` and wants `aud` as a list; Node and Python read `scopes` (reference: login-and-tokens 2.2 to 2.4). */
function claims(world: World, client: Rows['clients'], scopes: readonly string[], lifetime: number) {
  const now = Math.floor(world.clock.ms / 1000);
  return {
    iss: world.baseUrl,
    sub: client.id,
    aud: client.organization_id ? [] : [client.id],
    client_id: client.id,
    iat: now,
    nbf: now,
    exp: now + lifetime,
    jti: world.draw.id('tkn'),
    ...(client.organization_id && { oid: client.organization_id }),
    scope: scopes.join(' '),
    scopes,
    ...(world.environment !== 'default' && { understudy_environment: world.environment }),
  };
}
