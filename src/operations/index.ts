import { ApiError } from '../errors.ts';
import type { World } from '../world/world.ts';
import { connectedAccounts } from './connected-accounts.ts';
import { connections } from './connections.ts';
import type { Operations } from './handler.ts';
import { invitations } from './invitations.ts';
import { memberships } from './memberships.ts';
import { oauthDiscovery } from './oauth-discovery.ts';
import { oauthToken } from './oauth-token.ts';
import { organizations } from './organizations.ts';
import { portalLinks } from './portal-links.ts';
import { tools } from './tools.ts';
import { users } from './users.ts';

/** Every operation of the contract: one that is missing, misspelt or of the wrong shape does not compile. */
export const operations: Operations = {
  ...oauthDiscovery,
  ...oauthToken,
  ...organizations,
  ...portalLinks,
  ...users,
  ...memberships,
  ...invitations,
  ...connections,
  ...connectedAccounts,
  ...tools,
};

export interface AnyInput {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}

type AnyHandler = (input: AnyInput, world: World) => unknown;

/** The contract has checked that input and handler fit; the compiler can't see it. */
export function handlerOf(operation: string): AnyHandler {
  const handler = (operations as unknown as Record<string, AnyHandler | undefined>)[operation];
  if (!handler) throw new ApiError('unimplemented', `${operation} is not implemented`);
  return handler;
}
