import { deniedBody } from '../../pages/sign-in/denied-page.ts';
import type { World } from '../../world/world.ts';
import type { Answer } from '../answer.ts';
import { showPage } from '../page-answer.ts';
import { fail } from './complete.ts';
import { isSilent } from './organization-choice.ts';
import type { Transaction } from './transaction.ts';

/**
 * An interceptor has refused the sign-in, which is over. Unverified: the user reads why on a page of ours, and takes
 * `access_denied` back to the application from there; where nobody is there to read it, it goes back at once.
 */
export function deny(world: World, { id }: Transaction, message: string, status: 302 | 303): Answer {
  const transaction = world.login_transactions.get(id);
  const back = fail(world, transaction, 'access_denied', message, status);
  if (isSilent(transaction)) return back;
  const { name: application } = world.clients.get(transaction.client_id);
  const body = deniedBody({ application, message, back: String(back.headers['location']) });
  return showPage({ title: 'Not signed in', body }, { status: 403 });
}
