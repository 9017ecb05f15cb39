import type { Operation } from '../contract/compiled.ts';
import type { Environment } from '../environments/environment.ts';
import { DEFAULT_ENVIRONMENT } from '../environments/registry.ts';
import { unauthenticated } from '../errors.ts';
import type { Claims, Keys } from '../world/keys.ts';
import type { Caller } from '../world/world.ts';
import { header, type Call } from './call.ts';

/** The token of `Authorization: Bearer`; undefined when there is none of that form. */
export function bearerToken({ headers }: Pick<Call, 'headers'>): string | undefined {
  const { authorization } = headers;
  return Array.isArray(authorization) ? bearerTokens({ headers })[0] : tokenIn(authorization);
}

/** A caller may send several: one that is good is enough. */
const bearerTokens = ({ headers }: Pick<Call, 'headers'>): string[] =>
  [headers['authorization']].flat().flatMap((value) => tokenIn(value) ?? []);

const tokenIn = (value = ''): string | undefined => /^Bearer\s+(\S+)\s*$/i.exec(value)?.[1];

/** Whose token it is; throws `unauthenticated` where an operation wants one and gets none that is good. */
export async function authenticate(
  call: Call,
  operation: Operation,
  environment: Environment,
  keys: Keys,
): Promise<Caller | undefined> {
  if (!operation.secured) return undefined;
  if (!header(call, 'authorization')) throw unauthenticated('Token empty');
  const tokens = bearerTokens(call);
  if (tokens.length === 0) throw unauthenticated('authorization is not a bearer token');
  let refusal: unknown;
  for (const token of tokens) {
    try {
      return await callerOf(token, environment, keys);
    } catch (thrown) {
      refusal = thrown;
    }
  }
  throw refusal;
}

async function callerOf(token: string, environment: Environment, keys: Keys): Promise<Caller> {
  const claims = await environment.verified.claims(token, keys);
  if (!claims) throw unauthenticated('token is malformed or was not issued here');
  if (environmentOf(claims) !== environment.name)
    throw unauthenticated('token was issued in another environment');
  if (!(Number(claims['exp']) * 1000 > environment.clock.now())) throw unauthenticated('token is expired');

  const client = environment.tables.clients.find(String(claims['client_id']));
  if (!client) throw unauthenticated('client of the token is gone');
  if (client.disallow_scalekit_api_access)
    throw unauthenticated(`client ${client.id} is unauthorized to call this API`);
  return { client_id: client.id, ...(client.organization_id && { organization_id: client.organization_id }) };
}

/** Tokens of other environments than `default` name theirs. */
export const environmentOf = (claims: Claims) =>
  typeof claims['understudy_environment'] === 'string'
    ? claims['understudy_environment']
    : DEFAULT_ENVIRONMENT;
