import { rowNamed, timeCause } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { ApiError, failedPrecondition, notFound } from '../../contract/errors.ts';
import { alert, form } from '../../pages/controls.ts';
import { html } from '../../pages/html.ts';
import { isScript } from '@understudy/text/addresses';
import { Redirect, showPage, withQuery, type CustomReply, type Operations } from '../handler.ts';
import { checkCsrfToken } from '../hosted/browser.ts';
import { expandAddress } from '../oauth/redirect-uris.ts';

export const invitationPage = {
  InvitationPage_Show({ path }, env) {
    const { membership, organization, user } = invitationOf(env, path.invitation_token);
    refuseUnlessOpen(membership);
    const { invitation_token } = path;
    const body = html`<section class="card">
      <h1>Join ${organization.display_name}</h1>
      <p class="faint">
        ${membership.inviter_email ? `${membership.inviter_email} has invited` : 'You are invited with'}
        ${user.email}.
      </p>
      ${form({
        action: `/ui/invitation/${invitation_token}`,
        // No session is needed: the link alone entitles its holder to accept.
        csrf_token: invitation_token,
        content: html`<button autofocus>Accept the invitation</button>`,
      })}
    </section>`;
    return showPage({ title: `Join ${organization.display_name}`, body });
  },

  InvitationPage_Accept({ path, body }, env) {
    const { membership, organization, user } = invitationOf(env, path.invitation_token);
    checkCsrfToken(body, path.invitation_token);
    acceptInvitation(env, membership);
    const start = initiateLoginAddress(env, organization);
    // Unverified (sign-in/after-invitation): the application gets the organization and the user as parameters of an
    // authorization request.
    const further = { organization_id: organization.id, login_hint: user.email };
    if (!start) return welcomePage(organization.display_name, user.email);
    env.decidedBy('sign-in/after-invitation');
    return new Redirect(withQuery(start, further), { status: 303 });
  },
} satisfies Partial<Operations>;

/** For applications without an initiate-login address. */
function welcomePage(organization: string, email: string): CustomReply {
  const title = `Welcome to ${organization}`;
  const body = html`<section class="card">
    <h1>${title}</h1>
    ${alert('good', `${email} is a member now.`)}
    <p class="faint">Open the application and sign in with this address. You can close this page.</p>
  </section>`;
  return showPage({ title, body });
}

function invitationOf(env: Env, token: string) {
  const membership = env.memberships.findBy('invitation_token', token);
  if (!membership) throw notFound('invitation', 'of this link');
  const organization = env.organizations.get(membership.organization_id);
  return { membership, organization, user: env.users.get(membership.user_id) };
}

/**
 * Placeholders need the organization. Unverified (sign-in/several-applications): of several applications with such an
 * address, the oldest is used.
 */
export function initiateLoginAddress(env: Env, organization?: Rows['organizations']): string | undefined {
  const addresses = env.clients
    .list()
    .map(({ initiate_login_uri = '' }) => expandAddress(initiate_login_uri, organization));
  const [first, ...others] = addresses.filter((address) => address && !isScript(address));
  if (others.length > 0) env.decidedBy('sign-in/several-applications');
  return first;
}

type Membership = Rows['memberships'];

/** Activates the member, whose seat the invitation already held. The mail proves the address. */
export function acceptInvitation(env: Env, { id, user_id }: Membership): Membership {
  refuseUnlessOpen(env.memberships.get(id));
  const { user_profile } = env.users.get(user_id);
  if (!user_profile.email_verified)
    env.users.update(user_id, { user_profile: { ...user_profile, email_verified: true } });
  const now = env.clock.iso();
  return env.memberships.update(id, { membership_status: 'ACTIVE', accepted_at: now, join_time: now });
}

/** Throws `gone` for an invitation that can no longer be accepted. */
function refuseUnlessOpen(membership: Membership): void {
  const { membership_status, accepted_at, expires_at } = membership;
  const rows = [rowNamed('memberships', membership)];
  const over = (message: string) => new ApiError('gone', message, { why: { kind: 'state', rows } });
  switch (membership_status) {
    case 'PENDING_INVITE':
      return;
    case 'INVITE_EXPIRED':
      throw new ApiError('gone', 'this invitation has expired: ask for a new one', {
        why:
          expires_at === undefined
            ? { kind: 'time', rows }
            : timeCause(expires_at, 'this invitation has expired', rows),
      });
    case 'ACTIVE':
      throw over('this invitation was accepted already: sign in');
    case 'INACTIVE':
      if (accepted_at) throw over('this invitation was accepted already');
      throw failedPrecondition('this membership is switched off', {
        rows,
        needs: { membership_status: 'ACTIVE' },
      });
  }
}
