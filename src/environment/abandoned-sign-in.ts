import type { RowChange, Env } from './env.ts';
import type { Rows } from './rows/schema.ts';

type Transaction = Rows['login_transactions'];

/** The auth log of a sign-in has its number, without the environment's name. */
export const authLogOf = ({ id }: Transaction): string => id.slice(id.lastIndexOf('.') + 1);

/** A sign-in that nobody has ended in its time has failed. Unverified: the service may leave it as it was. */
export function logAbandonedSignIn(env: Env, { before, after }: RowChange): void {
  const transaction = after as Transaction | undefined;
  if ((before as Transaction | undefined)?.status !== 'PENDING' || transaction?.status !== 'EXPIRED') return;
  const log = env.auth_logs.find(authLogOf(transaction));
  if (log) env.auth_logs.update(log.id, { status: 'FAILED' });
}
