import { isScript } from '../../addresses.ts';
import { invalidArgument, notFound } from '../../errors.ts';
import { acceptedBody, invitationBody } from '../../pages/sign-in/invitation-pages.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Redirect, withQuery } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { showPage } from '../page-answer.ts';
import { accept, refuseUnlessOpen } from './invitation-acceptance.ts';

export const invitationPage = {
  InvitationPage_Show({ path }, world) {
    const { membership, organization, user } = invitationOf(world, path.invitation_token);
    refuseUnlessOpen(membership);
    const body = invitationBody({
      action: `/ui/invitation/${path.invitation_token}`,
      // Whoever can send the form has the link, and whoever has the link may accept.
      csrf_token: path.invitation_token,
      organization: organization.display_name,
      email: user.email,
      inviter: membership.inviter_email,
    });
    return showPage({ title: `Join ${organization.display_name}`, body, leadsTo: [startOf(world)] });
  },

  InvitationPage_Accept({ path, body }, world) {
    const { membership, organization, user } = invitationOf(world, path.invitation_token);
    if (body?.csrf_token !== path.invitation_token)
      throw invalidArgument('the form was not sent from its page: load the page again');
    accept(world, membership);
    const start = startOf(world);
    // Unverified: the application is told whom to sign in, and where, as far as authorization requests can say it.
    const further = { organization_id: organization.id, login_hint: user.email };
    if (start) return new Redirect(withQuery(start, further), { status: 303 });
    const { display_name } = organization;
    return showPage({ title: `Welcome to ${display_name}`, body: acceptedBody(display_name, user.email) });
  },
} satisfies Partial<Operations>;

function invitationOf(world: World, token: string) {
  const membership = world.memberships.findBy('invitation_token', token);
  if (!membership) throw notFound('invitation', 'of this link');
  const organization = world.organizations.get(membership.organization_id);
  return { membership, organization, user: world.users.get(membership.user_id) };
}

/** Unverified: of several applications that have such an address, the oldest. */
const startOf = (world: World): Rows['clients']['initiate_login_uri'] =>
  world.clients
    .list()
    .map(({ initiate_login_uri }) => initiate_login_uri)
    .find((address) => address && !isScript(address));
