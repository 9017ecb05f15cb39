import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { field, form } from '@understudy/core/pages/controls';
import { html, type Html } from '@understudy/core/pages/html';
import { showPage, type CustomReply, type Operations } from '@understudy/core/operations/handler';
import { confirmUser, pendingRequest, providerName } from '../accounts/consent.ts';
import type { BrowserCookies } from '@understudy/core/operations/hosted/browser';
import { currentSession } from '@understudy/core/operations/sign-in/session';
import {
  addressOf,
  submittedAuthorization,
  type Authorization,
  finishAuthorization,
} from './authorization.ts';

type Account = Rows['connected_accounts'];
type User = Rows['users'];

/**
 * The service confirms the account of a person who is signed in to its dashboard, and refuses any other person (Scalekit
 * docs, Verify user identity). Nobody signs in to the dashboard of Understudy, so a page asks who the person is.
 */
export const accountConfirmation = {
  AccountPage_Confirm({ path, cookies, body }, env) {
    const authorization = submittedAuthorization(env, path.authorization_id, cookies, body);
    const { auth_request_id, connected_account_id } = authorization;
    if (!auth_request_id)
      throw new ApiError('failed_precondition', 'the third party has not been asked yet', {
        why: { kind: 'state' },
      });
    const email = body?.email?.trim() ?? '';
    const user = email ? env.users.findBy('email', email.toLowerCase()) : signedIn(env, cookies);
    const account = env.connected_accounts.get(connected_account_id);
    const problem = problemOf(env, account, user);
    if (problem) return askWho(env, authorization, cookies, { email, problem });
    return finishAuthorization(env, authorization, confirmUser(env, pendingRequest(env, auth_request_id)));
  },
} satisfies Partial<Operations>;

interface RejectedConfirmation {
  email: string;
  problem: string;
}

/** Asks whose account has been granted access. */
export function askWho(
  env: Env,
  authorization: Authorization,
  cookies: BrowserCookies,
  filled?: RejectedConfirmation,
): CustomReply {
  const account = env.connected_accounts.get(authorization.connected_account_id);
  const title = 'Confirm that it is you';
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p>
      ${providerName(env, account)} has given access for <strong>${account.identifier}</strong>. It can be
      used when you have confirmed it.
    </p>
    ${confirmationForm(authorization, signedIn(env, cookies), filled)}
  </section>`;
  return showPage({ title, body }, { status: filled ? 400 : 200 });
}

function confirmationForm(
  authorization: Authorization,
  user: User | undefined,
  filled?: RejectedConfirmation,
): Html {
  const email = field({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: filled?.email || user?.email,
    problem: filled?.problem,
    hint: user ? 'You are signed in with it.' : 'Of the user that you sign in as.',
    autocomplete: 'username',
    required: true,
    autofocus: true,
  });
  const action = `${addressOf(authorization)}/confirm`;
  return form({
    action,
    csrf_token: authorization.csrf_token,
    content: html`${email}<button>Confirm</button>`,
  });
}

function signedIn(env: Env, cookies: BrowserCookies): User | undefined {
  const session = currentSession(env, cookies);
  return session && env.users.find(session.user_id);
}

/** An account that belongs to a user, or is named after one, can be confirmed only by that user. */
function problemOf(env: Env, { user_id, identifier }: Account, user: User | undefined): string | undefined {
  if (!user) return 'No user has this address.';
  const owner = env.users.find(user_id ?? identifier) ?? env.users.findBy('email', identifier.toLowerCase());
  return owner && owner.id !== user.id ? 'This account belongs to another user.' : undefined;
}
