import { ApiError } from '../../contract/errors.ts';
import { Redirect, type Operations } from '../handler.ts';
import { awaitsSecondFactor } from '../totp/registrations.ts';
import { continueSignIn } from './continuation.ts';
import { initiateLoginAddress } from './invitation-page.ts';
import { enterWanted } from './organization-page.ts';
import { pagePath, transactionsOf } from './transaction.ts';

export const continuePage = {
  LoginPage_Continue({ query, cookies }, env) {
    const running = transactionsOf(env, cookies).findLast(({ status }) => status === 'PENDING');
    if (!running) {
      const start = initiateLoginAddress(env);
      if (start) return new Redirect(start);
      throw new ApiError(
        'not_found',
        'no sign-in is running in this browser: start again in the application',
        { why: { kind: 'state' } },
      );
    }
    const { user_id } = running;
    if (query.organization_id === undefined || user_id === undefined || awaitsSecondFactor(env, running))
      return continueSignIn(env, running, cookies, 302);
    const entered = enterWanted(env, { ...running, user_id }, query.organization_id);
    return typeof entered === 'string'
      ? new Redirect(pagePath(running, 'organization'))
      : continueSignIn(env, entered, cookies, 302);
  },
} satisfies Partial<Operations>;
