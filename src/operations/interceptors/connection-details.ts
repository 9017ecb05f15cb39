import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { passwordlessConnection } from '../passwordless/passwordless-config.ts';

type Connection = Rows['connections'];

const TYPES = ['OAUTH', 'SAML', 'OIDC', 'PASSWORDLESS'] as const;

/**
 * How somebody has proved who they are, as interceptors are told it. Unverified: who came by no connection is said to
 * have come by the environment's own passwordless one, as in the tokens.
 */
export function connectionDetails(world: World, ids: readonly string[]) {
  const known = ids.flatMap((id) => world.connections.find(id) ?? []);
  const own = ids.length === 0 ? passwordlessConnection(world) : undefined;
  return [...known, ...(own ? [own] : [])].flatMap(detailsOf);
}

function detailsOf({ id, type: told, provider }: Connection) {
  const type = TYPES.find((each) => each === told);
  return type ? [{ id, type, provider }] : [];
}
