import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError } from '../../errors.ts';
import { organizationBody } from '../../pages/sign-in/code-form.ts';
import { Redirect, showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { acceptInvitation } from './invitation-page.ts';
import { membershipsOf } from './organization-choice.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

type Membership = Rows['memberships'];

export const organizationPage = {
  LoginPage_ShowOrganizations({ path, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    const { user_id } = transaction;
    if (user_id === undefined) return new Redirect(pagePath(transaction));
    return choicePage(env, { ...transaction, user_id });
  },

  LoginPage_ChooseOrganization({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const { user_id } = transaction;
    if (user_id === undefined) return new Redirect(pagePath(transaction), { status: 303 });
    const chosen = enterable(env, { ...transaction, user_id }).find(
      ({ organization_id }) => organization_id === body?.organization_id,
    );
    if (!chosen) return choicePage(env, { ...transaction, user_id }, 'Choose one of these.');
    if (chosen.membership_status === 'PENDING_INVITE') {
      const problem = acceptanceProblem(env, chosen);
      if (problem) return choicePage(env, { ...transaction, user_id }, problem);
    }
    const { organization_id } = chosen;
    return nextStep(env, env.login_transactions.update(transaction.id, { organization_id }), cookies, 303);
  },
} satisfies Partial<Operations>;

type KnownUserTransaction = Transaction & { user_id: string };

/** An organization that was asked for is the only one offered. */
function enterable(
  env: Env,
  { user_id, wanted_organization_id: wanted }: KnownUserTransaction,
): Membership[] {
  return membershipsOf(env, user_id).filter(
    ({ organization_id, membership_status }) =>
      (membership_status === 'ACTIVE' || membership_status === 'PENDING_INVITE') &&
      (wanted === undefined || organization_id === wanted),
  );
}

function acceptanceProblem(env: Env, membership: Membership): string | undefined {
  try {
    acceptInvitation(env, membership);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.message;
    throw thrown;
  }
}

function choicePage(env: Env, transaction: KnownUserTransaction, problem?: string): CustomReply {
  const { client_id, csrf_token, redirect_uri, user_id } = transaction;
  const { name: application } = env.clients.get(client_id);
  const nameOf = (id: string) => env.organizations.get(id).display_name;
  const choosable = ({ organization_id: value, inviter_email }: Membership, isInvitation: boolean) => ({
    value,
    name: isInvitation ? `Join ${nameOf(value)}` : nameOf(value),
    note: isInvitation && inviter_email ? `invited by ${inviter_email}` : undefined,
  });
  const all = enterable(env, transaction);
  const by = (status: Membership['membership_status']) =>
    all.filter(({ membership_status }) => membership_status === status);
  const body = organizationBody({
    action: pagePath(transaction, 'organization'),
    csrf_token,
    application,
    email: env.users.get(user_id).email,
    memberships: by('ACTIVE').map((each) => choosable(each, false)),
    invitations: by('PENDING_INVITE').map((each) => choosable(each, true)),
    expired: membershipsOf(env, user_id)
      .filter(({ membership_status }) => membership_status === 'INVITE_EXPIRED')
      .map(({ organization_id }) => nameOf(organization_id)),
    problem,
    back: pagePath(transaction),
  });
  const sheet = { title: 'Choose an organization', body, leadsTo: [redirect_uri] };
  return showPage(sheet, { status: problem ? 400 : 200 });
}
