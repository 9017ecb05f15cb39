import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { withQuery } from '../answer.ts';
import type { Transaction } from '../sign-in/transaction.ts';

type Connection = Rows['connections'];

export type Protocol = 'oidc' | 'saml' | 'oauth';

/** The part of the addresses below /sso/v1 that a connection has; undefined for those that nobody signs in with. */
export function protocolOf({ type }: Pick<Connection, 'type'>): Protocol | undefined {
  if (type === 'OIDC') return 'oidc';
  if (type === 'SAML') return 'saml';
  return type === 'OAUTH' ? 'oauth' : undefined;
}

/** Where a browser begins to prove with the connection who its user is. It needs the cookie of its sign-in there. */
export function startAddress({ baseUrl }: World, { id }: Transaction, connection: Connection): string {
  const start = `${baseUrl}/sso/v1/${protocolOf(connection) ?? 'oidc'}/${connection.id}/init`;
  return withQuery(start, { auth_request_id: id });
}
