import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { alert, form } from '../../pages/controls.ts';
import { breakable, html, type Html } from '../../pages/html.ts';
import { Redirect, showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { refusalOf } from '../refusals.ts';
import { awaitsSecondFactor } from '../totp/second-factor.ts';
import { applicationName, lookOf } from './appearance.ts';
import { acceptInvitation } from './invitation-page.ts';
import { enterable, membershipsOf, type KnownUserTransaction } from './organization-choice.ts';
import { choice, type Choosable } from './sign-in-form.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

type Membership = Rows['memberships'];

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

/** Enters an organization, which accepts an invitation to it; or says why the user cannot enter it. */
export function enterWanted(
  env: Env,
  transaction: KnownUserTransaction,
  wanted: string | undefined,
): Transaction | string {
  const chosen = enterable(env, transaction).find(({ organization_id }) => organization_id === wanted);
  if (!chosen) return 'Choose one of these.';
  const isInvited = chosen.membership_status === 'PENDING_INVITE';
  const problem = isInvited ? refusalOf(() => acceptInvitation(env, chosen)) : undefined;
  const { organization_id } = chosen;
  return problem ?? env.login_transactions.update(transaction.id, { organization_id });
}

/** Asks which organization to enter; entering accepts an invitation. */
function choosePage(env: Env, transaction: KnownUserTransaction, problem?: string): CustomReply {
  const { user_id } = transaction;
  const all = enterable(env, transaction);
  const memberships = all.filter(({ membership_status }) => membership_status === 'ACTIVE');
  const invitations = all.filter(({ membership_status }) => membership_status === 'PENDING_INVITE');
  const hasBoth = memberships.length > 0 && invitations.length > 0;
  const title = 'Choose an organization';
  const body = html`<section class="card">
    <h1>${memberships.length > 0 ? title : 'You are invited'}</h1>
    <p class="faint">
      to continue to ${applicationName(env, transaction)} as ${breakable(env.users.get(user_id).email)}
    </p>
    ${problem && alert('bad', problem)} ${choices(env, transaction, memberships)}
    ${hasBoth && html`<div class="or">invitations</div>`} ${choices(env, transaction, invitations)}
    ${expiredInvitations(env, user_id)}
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
