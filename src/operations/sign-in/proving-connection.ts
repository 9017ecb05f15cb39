import type { Env, Rows } from '../../state/env.ts';
import { connectionForEmail } from '../connections/sign-in-connection.ts';
import { relyingParty } from '../passkeys/relying-party.ts';
import { passwordlessConnection } from '../passwordless/passwordless.ts';

type Transaction = Rows['login_transactions'];
/** The user who signs in, and the organization that the user signs in to. */
export type SignInUser = Pick<Transaction, 'user_id' | 'organization_id'>;

type Proof = Pick<Transaction, 'identity' | 'verified_with' | 'session_id'>;

/**
 * The connection of this sign-in; undefined if nothing proved who the user is. Unverified (oauth/connection-claim): a
 * passkey for which the environment has no connection is named itself.
 */
export function provingConnection(
  env: Env,
  { identity, verified_with, session_id }: Proof,
): string | undefined {
  if (identity?.connection_id !== undefined) return identity.connection_id;
  if (session_id !== undefined || verified_with === undefined) return undefined;
  if (verified_with !== 'passkey') return passwordlessConnection(env)?.id;
  const { connection } = relyingParty(env);
  if (!connection) env.decidedBy('oauth/connection-claim');
  return connection?.id ?? 'passkey';
}

/**
 * The connection to which the user's address leads on the sign-in page. It stands for a proof that the simulator has
 * skipped, such as that of a user who was picked from the list.
 */
export function connectionOfAddress(
  env: Env,
  { user_id = '', organization_id }: SignInUser,
): Rows['connections'] | undefined {
  const email = env.users.find(user_id)?.email;
  const provider = email === undefined ? undefined : connectionForEmail(env, email);
  // The user may have entered another organization than that of the address.
  const leadsThere = !provider?.organization_id || provider.organization_id === organization_id;
  return provider && leadsThere ? provider : passwordlessConnection(env);
}
