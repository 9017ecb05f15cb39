import { OAuthError } from '../../errors.ts';
import type { Claims } from '../../world/keys.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { authenticated } from './client-authentication.ts';
import { isRevoked } from './revoked-tokens.ts';

type Client = Rows['clients'];

const INACTIVE = { active: false };

export const oauthIntrospection = {
  OAuth_Introspect({ body }, world) {
    const client = authenticated(world, body ?? {});
    if (!body?.token) throw new OAuthError('invalid_request', 'token missing');
    const token = world.refresh_tokens.findBy('token', body.token);
    if (token) return refreshTokenAnswer(world, client, token);
    const claims = world.claims(body.token);
    return claims ? accessTokenAnswer(world, client, claims) : INACTIVE;
  },
} satisfies Partial<Operations>;

function accessTokenAnswer(world: World, client: Client, claims: Claims) {
  const { client_id, exp, sid, sub, scopes, aud } = claims;
  const isAccessToken = Array.isArray(scopes) && Number(exp) * 1000 > world.clock.ms;
  const isGone = !world.clients.find(String(client_id)) || isRevoked(world, claims);
  const isOwn = client_id === client.id || (Array.isArray(aud) && aud.includes(client.id));
  const isOver = !isActive(world, sid as string | undefined);
  if (!isAccessToken || isGone || isOver || !(isOwn || seesAll(client))) return INACTIVE;
  const { understudy_environment: _, scopes: __, ...told } = claims;
  return { active: true, token_type: 'Bearer', ...told, ...named(world, String(sub)) };
}

function refreshTokenAnswer(world: World, client: Client, token: Rows['refresh_tokens']) {
  const { client_id, subject, scopes, created_at, used_at, revoked_at, session_id, organization_id } = token;
  const isOver = used_at !== undefined || revoked_at !== undefined || !isActive(world, session_id);
  if (isOver || !(client_id === client.id || seesAll(client))) return INACTIVE;
  return {
    active: true,
    client_id,
    sub: subject,
    iss: world.baseUrl,
    scope: scopes.join(' '),
    iat: Math.floor(Date.parse(created_at) / 1000),
    ...(organization_id && { oid: organization_id }),
    ...(session_id && { sid: session_id }),
    ...named(world, subject),
  };
}

/** Unverified: the environment's own client may ask for any token, others for those that are theirs or meant for them. */
const seesAll = ({ client_type = 'ENV', organization_id }: Client) =>
  client_type === 'ENV' && !organization_id;

/** Unverified: a token says nothing of its session's end by itself; whoever asks hears of it. */
const isActive = (world: World, session_id: string | undefined) =>
  session_id === undefined || world.sessions.find(session_id)?.status === 'active';

function named(world: World, subject: string) {
  const email = world.users.find(subject)?.email;
  return email === undefined ? {} : { username: email };
}
