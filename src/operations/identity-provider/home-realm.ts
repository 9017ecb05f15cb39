import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { connectionsServing } from '../connections/connection-domains.ts';

type Connection = Rows['connections'];

/** Users can sign in with it. */
export const isActive = ({ status, enabled }: Connection) => status === 'COMPLETED' && enabled;

/** The part after the last @, as domains are compared; undefined for what is no address. */
export function domainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  return at > 0 && at < email.length - 1 ? email.slice(at + 1).toLowerCase() : undefined;
}

/** Where the owner of the address has to sign in: with the connection that serves its domain, if there is one. */
export function connectionForEmail(world: World, email: string): Connection | undefined {
  const domain = domainOf(email);
  return domain === undefined ? undefined : connectionsServing(world, domain).find(isActive);
}
