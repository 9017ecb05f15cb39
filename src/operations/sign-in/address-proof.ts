import type { Env } from '../../state/env.ts';
import { storeAddressProof } from './foreign-domain.ts';
import type { Transaction } from './transaction.ts';

interface Proof {
  email: string;
  /** What was mailed. Absent if the environment mails no codes. */
  verified_with?: Transaction['verified_with'];
}

/**
 * The address belongs to the person who signs in: its user is known now. Somebody without a user record, who is
 * signing up, is known by the address alone until there is an account (`withAccount`).
 */
export function proveAddress(
  env: Env,
  transaction: Transaction,
  { email, verified_with }: Proof,
): Transaction {
  const { id, sign_up, identity } = transaction;
  const user = env.users.findBy('email', email.toLowerCase());
  if (user) env.users.update(user.id, { user_profile: { ...user.user_profile, email_verified: true } });
  const known = env.login_transactions.update(id, {
    passwordless_request_id: undefined,
    ...(verified_with && { verified_with }),
    ...(user
      ? { user_id: user.id, sign_up: undefined }
      : sign_up && { identity: identity ?? { email, email_verified: true } }),
  });
  storeAddressProof(env, known);
  return known;
}
