import { failedPrecondition, validationError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { tokenClaims } from '../token-claims.ts';
import { serverUrl } from './configs.ts';
import { accountOn } from './offer.ts';

const SHORTEST = 60;
const LONGEST = 86_400;

export const sessionTokens = {
  McpService_CreateMcpSessionToken({ path, body }, world) {
    const { identifier, expiry = '3600s', access_level = 'FULL' } = body;
    const config = world.mcp_configs.get(path.mcp_config_id);
    const lifetime = lifetimeOf(expiry);
    const claims = tokenClaims(world, lifetime);
    const token = world.token({
      ...claims,
      sub: identifier,
      aud: serverUrl(world, config),
      token_type: 'mcp_session',
      mcp_cfg: config.id,
      ca_ids: activeAccounts(world, config, identifier),
      access_level,
    });
    return { token, expires_at: new Date(claims.exp * 1000).toISOString() };
  },
} satisfies Partial<Operations>;

/** Whole seconds: the service drops what is beyond. */
function lifetimeOf(expiry: string): number {
  const seconds = Math.trunc(Number.parseFloat(expiry));
  if (seconds >= SHORTEST && seconds <= LONGEST) return seconds;
  const description = `value must be greater than or equal to ${SHORTEST}s and less than or equal to ${LONGEST}s`;
  throw validationError([{ field: 'expiry', description, constraint: 'duration.gte_lte' }]);
}

/** The user's account on each connection; one that can not be used yet is no use to a server. */
function activeAccounts(world: World, { name, connection_ids }: Rows['mcp_configs'], identifier: string) {
  if (connection_ids.length === 0) throw failedPrecondition(`mcp config ${name} has no connections`);
  return connection_ids.map((id) => {
    const account = accountOn(world, id, identifier);
    if (account?.status === 'ACTIVE') return account.id;
    const { key_id = id } = world.connections.get(id);
    throw failedPrecondition(`${identifier} has no active connected account for connection ${key_id}`);
  });
}
