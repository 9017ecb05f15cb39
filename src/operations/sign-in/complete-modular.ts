import type { World } from '../../world/world.ts';
import { Redirect, withQuery } from '../answer.ts';
import { issueCode } from './complete.ts';
import { logSignIn } from './sign-in-log.ts';
import type { Transaction } from './transaction.ts';

/**
 * Without full-stack authentication the application keeps its own users and sessions: it gets a code for what the
 * connection says, and nothing is kept of the user (reference: login-and-tokens 2.2).
 */
export function completeModular(
  world: World,
  transaction: Transaction & { identity: NonNullable<Transaction['identity']> },
  status: 302 | 303,
): Redirect {
  const { id, identity, redirect_uri, state } = transaction;
  const { connection_id = '', subject, email } = identity;
  const { code } = issueCode(world, transaction, {
    subject: `${connection_id};${subject ?? email}`,
    connection_ids: [connection_id],
  });
  logSignIn(world, world.login_transactions.update(id, { status: 'COMPLETED', identity }), 'SUCCESS');
  return new Redirect(withQuery(redirect_uri, { code, state }), { status });
}
