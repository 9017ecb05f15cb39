import type { RowChange, Env } from './env.ts';
import type { Rows } from './rows/schema.ts';

type Transaction = Rows['login_transactions'];

/** The id of the sign-in without the environment's name. */
export const authLogOf = ({ id }: Transaction): string => id.slice(id.lastIndexOf('.') + 1);

/** Unverified: the service may leave the log of an abandoned sign-in as it was. */
export function logAbandonedSignIn(env: Env, { before, after }: RowChange): void {
  const transaction = after as Transaction | undefined;
  if ((before as Transaction | undefined)?.status !== 'PENDING' || transaction?.status !== 'EXPIRED') return;
  const log = env.auth_logs.find(authLogOf(transaction));
  if (log) env.auth_logs.update(log.id, { status: 'FAILED' });
}
