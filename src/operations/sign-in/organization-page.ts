import { ApiError } from '../../errors.ts';
import { organizationBody } from '../../pages/sign-in/organization-form.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { showPage } from '../page-answer.ts';
import { accept } from './invitation-acceptance.ts';
import { membershipsOf } from './organization-choice.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pageOf, submittedTransaction, type Transaction } from './transaction.ts';

type Membership = Rows['memberships'];

export const organizationPage = {
  LoginPage_ShowOrganizations({ path, cookies }, world) {
    const transaction = openTransaction(world, path.transaction_id, cookies);
    const { user_id } = transaction;
    if (user_id === undefined) return new Redirect(pageOf(transaction));
    return choicePage(world, { ...transaction, user_id });
  },

  LoginPage_ChooseOrganization({ path, cookies, body }, world) {
    const transaction = submittedTransaction(world, path.transaction_id, cookies, body);
    const { user_id } = transaction;
    if (user_id === undefined) return new Redirect(pageOf(transaction), { status: 303 });
    const chosen = enterable(world, { ...transaction, user_id }).find(
      ({ organization_id }) => organization_id === body?.organization_id,
    );
    if (!chosen) return choicePage(world, { ...transaction, user_id }, 'Choose one of these.');
    if (chosen.membership_status === 'PENDING_INVITE') {
      const problem = acceptanceProblem(world, chosen);
      if (problem) return choicePage(world, { ...transaction, user_id }, problem);
    }
    const { organization_id } = chosen;
    return nextStep(
      world,
      world.login_transactions.update(transaction.id, { organization_id }),
      cookies,
      303,
    );
  },
} satisfies Partial<Operations>;

type Known = Transaction & { user_id: string };

/** An organization that was asked for is the only one. */
function enterable(world: World, { user_id, wanted_organization_id: wanted }: Known): Membership[] {
  return membershipsOf(world, user_id).filter(
    ({ organization_id, membership_status }) =>
      (membership_status === 'ACTIVE' || membership_status === 'PENDING_INVITE') &&
      (wanted === undefined || organization_id === wanted),
  );
}

function acceptanceProblem(world: World, membership: Membership): string | undefined {
  try {
    accept(world, membership);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.message;
    throw thrown;
  }
}

function choicePage(world: World, transaction: Known, problem?: string): Answer {
  const { client_id, csrf_token, redirect_uri, user_id } = transaction;
  const { name: application } = world.clients.get(client_id);
  const nameOf = (id: string) => world.organizations.get(id).display_name;
  const choosable = ({ organization_id: value, inviter_email }: Membership, isInvitation: boolean) => ({
    value,
    name: isInvitation ? `Join ${nameOf(value)}` : nameOf(value),
    note: isInvitation && inviter_email ? `invited by ${inviter_email}` : undefined,
  });
  const all = enterable(world, transaction);
  const by = (status: Membership['membership_status']) =>
    all.filter(({ membership_status }) => membership_status === status);
  const body = organizationBody({
    action: pageOf(transaction, 'organization'),
    csrf_token,
    application,
    email: world.users.get(user_id).email,
    memberships: by('ACTIVE').map((each) => choosable(each, false)),
    invitations: by('PENDING_INVITE').map((each) => choosable(each, true)),
    expired: membershipsOf(world, user_id)
      .filter(({ membership_status }) => membership_status === 'INVITE_EXPIRED')
      .map(({ organization_id }) => nameOf(organization_id)),
    problem,
    back: pageOf(transaction),
  });
  const sheet = { title: 'Choose an organization', body, leadsTo: [redirect_uri] };
  return showPage(sheet, { status: problem ? 400 : 200 });
}
