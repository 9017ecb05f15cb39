import type { Env, Rows } from '../../state/env.ts';
import { alert, form } from '../../pages/controls.ts';
import { breakable, html, type Html } from '../../pages/html.ts';
import { Redirect, showPage, type CustomReply, type Operations } from '../handler.ts';
import { refusalOf } from '../refusals.ts';
import { awaitsSecondFactor } from '../totp/registrations.ts';
import { applicationName, lookOf } from './appearance.ts';
import { acceptInvitation } from './invitation-page.ts';
import {
  enterable,
  join,
  joinable,
  membershipsOf,
  type KnownUserTransaction,
} from './organization-choice.ts';
import { choice, type Choosable } from './sign-in-form.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

type Membership = Rows['memberships'];
type Organization = Rows['organizations'];

export const organizationPage = {
  LoginPage_ShowOrganizations({ path, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    const { user_id } = transaction;
    if (user_id === undefined) return new Redirect(pagePath(transaction));
    return choosePage(env, { ...transaction, user_id });
  },

  LoginPage_ChooseOrganization({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const { user_id } = transaction;
    if (user_id === undefined) return new Redirect(pagePath(transaction), { status: 303 });
    if (awaitsSecondFactor(env, transaction)) return nextStep(env, transaction, cookies, 303);
    const known = { ...transaction, user_id };
    const entered = enterWanted(env, known, body?.organization_id);
    if (typeof entered === 'string') return choosePage(env, known, entered);
    return nextStep(env, entered, cookies, 303);
  },
} satisfies Partial<Operations>;

/** Enters an organization, which accepts an invitation to it or joins it; or says why the user cannot enter it. */
export function enterWanted(
  env: Env,
  transaction: KnownUserTransaction,
  wanted: string | undefined,
): Transaction | string {
  const chosen = enterable(env, transaction).find(({ organization_id }) => organization_id === wanted);
  const suggested = joinable(env, transaction).find(({ id }) => id === wanted);
  if (!chosen && !suggested) return 'Choose one of these.';
  const problem = refusalOf(() => {
    if (chosen?.membership_status === 'PENDING_INVITE') acceptInvitation(env, chosen);
    if (suggested) join(env, transaction.user_id, suggested);
  });
  return problem ?? env.login_transactions.update(transaction.id, { organization_id: wanted });
}

/** Asks which organization to enter. Entering accepts an invitation, or joins an organization that allows the address. */
function choosePage(env: Env, transaction: KnownUserTransaction, problem?: string): CustomReply {
  const { user_id } = transaction;
  const all = enterable(env, transaction);
  const memberships = all.filter(({ membership_status }) => membership_status === 'ACTIVE');
  const invitations = all.filter(({ membership_status }) => membership_status === 'PENDING_INVITE');
  const suggested = joinable(env, transaction);
  const hasBoth = memberships.length > 0 && invitations.length > 0;
  const title = 'Choose an organization';
  const isOnlyInvited = invitations.length > 0 && memberships.length === 0 && suggested.length === 0;
  const body = html`<section class="card">
    <h1>${isOnlyInvited ? 'You are invited' : title}</h1>
    <p class="faint">
      to continue to ${applicationName(env, transaction)} as ${breakable(env.users.get(user_id).email)}
    </p>
    ${problem && alert('bad', problem)} ${choices(env, transaction, memberships)}
    ${hasBoth && html`<div class="or">invitations</div>`} ${choices(env, transaction, invitations)}
    ${suggestions(transaction, suggested)} ${expiredInvitations(env, user_id)}
    ${
      all.length === 0 &&
      html`<p class="faint">
        Want to work with a different team?
        <a href="${pagePath(transaction, 'sign-up')}">Create new organization</a>
      </p>`
    }
    <p class="faint">Not you? <a href="${pagePath(transaction)}">Sign in as another user</a></p>
  </section>`;
  return showPage({ title, body, look: lookOf(env, transaction) }, { status: problem ? 400 : 200 });
}

/** One button for each organization; undefined: there is none. */
const choices = (env: Env, transaction: Transaction, memberships: readonly Membership[]): Html | undefined =>
  memberships.length === 0
    ? undefined
    : form({
        action: pagePath(transaction, 'organization'),
        csrf_token: transaction.csrf_token,
        content: memberships.map((each) => choice('organization_id', choosable(env, each))),
      });

/** One button for each organization that the address may join; undefined: there is none. */
const suggestions = (transaction: Transaction, suggested: readonly Organization[]): Html | undefined =>
  suggested.length === 0
    ? undefined
    : form({
        action: pagePath(transaction, 'organization'),
        csrf_token: transaction.csrf_token,
        content: suggested.map(({ id: value, display_name }) =>
          choice('organization_id', { value, name: `Join ${display_name}`, note: 'allows your address' }),
        ),
      });

function choosable(env: Env, membership: Membership): Choosable {
  const { organization_id: value, membership_status, inviter_email } = membership;
  const name = nameOf(env, membership);
  if (membership_status === 'ACTIVE') return { value, name };
  return { value, name: `Join ${name}`, note: inviter_email && `invited by ${inviter_email}` };
}

const expiredInvitations = (env: Env, userId: string): Html[] =>
  membershipsOf(env, userId)
    .filter(({ membership_status }) => membership_status === 'INVITE_EXPIRED')
    .map((each) => alert('note', `Your invitation to ${nameOf(env, each)} has expired: ask for a new one.`));

const nameOf = (env: Env, { organization_id }: Membership) =>
  env.organizations.get(organization_id).display_name;
