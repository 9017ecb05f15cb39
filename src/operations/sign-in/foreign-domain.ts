import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import { domainsOf } from '../connections/connection-lookup.ts';
import { domainOf } from '../connections/sign-in-connection.ts';
import { beginRequest } from '../passwordless/passwordless.ts';
import { findMembership } from '../users/admission.ts';
import type { Transaction } from './transaction.ts';

type Membership = Rows['memberships'];

/**
 * An organization's identity provider vouches only for addresses of its own domains. Members with another
 * address verify it by mail, once per connection (Scalekit docs, Authentication flow). Returns undefined if
 * no proof is needed. Throws `rate_limited`. Automatic sign-ins need no proof.
 */
export function requireAddressProof(env: Env, transaction: Transaction): Transaction | undefined {
  const { identity, is_automatic } = transaction;
  const vouched = unprovedMember(env, transaction);
  if (!identity || !vouched || is_automatic || isProved(vouched)) return undefined;
  const { id } = beginRequest(env, {
    email: identity.email,
    purpose: 'verification',
    magiclink_auth_uri: `${env.baseUrl}/ui/link`,
  });
  return env.login_transactions.update(transaction.id, { passwordless_request_id: id });
}

/** Remembers that the address is verified for this connection. */
export function storeAddressProof(env: Env, transaction: Transaction): void {
  const vouched = unprovedMember(env, transaction);
  if (!vouched || isProved(vouched)) return;
  const { membership, connection } = vouched;
  const proved_connection_ids = [...(membership.proved_connection_ids ?? []), connection.id];
  env.memberships.update(membership.id, { proved_connection_ids });
}

interface VouchedMember {
  connection: Rows['connections'];
  membership: Membership;
}

/** The sign-in's connection and member if the member's address is of none of the connection's domains. */
function unprovedMember(env: Env, { identity, user_id }: Transaction): VouchedMember | undefined {
  const connection = env.connections.find(identity?.connection_id ?? '');
  if (!identity || !connection?.organization_id || user_id === undefined) return undefined;
  const domain = domainOf(identity.email);
  const isOwn = domainsOf(env, connection).some((each) => each.domain.toLowerCase() === domain);
  const membership = findMembership(env, connection.organization_id, user_id);
  return isOwn || !membership ? undefined : { connection, membership };
}

const isProved = ({ connection, membership }: VouchedMember) =>
  membership.proved_connection_ids?.includes(connection.id) === true;
