import { html, type Html } from '../html.ts';
import { alert, form } from '../parts.ts';
import { choice, type Choosable, type SignInTarget } from './sign-in-form.ts';

interface OrganizationPage extends SignInTarget {
  application: string;
  email: string;
  memberships: readonly Choosable[];
  invitations: readonly Choosable[];
  /** Organizations whose invitation has run out. */
  expired: readonly string[];
  problem?: string | undefined;
  back: string;
}

/** Asks which of their organizations somebody enters; invitations are accepted by it. */
export function organizationBody(page: OrganizationPage): Html {
  const { application, email, memberships, invitations, expired, problem, back } = page;
  return html`<section class="card">
    <h1>${memberships.length > 0 ? 'Choose an organization' : 'You are invited'}</h1>
    <p class="faint">to go on to ${application} as ${email}</p>
    ${problem && alert('bad', problem)} ${memberships.length > 0 && choices(page, memberships)}
    ${invitations.length > 0 && memberships.length > 0 && html`<div class="or">invitations</div>`}
    ${invitations.length > 0 && choices(page, invitations)}
    ${expired.map((name) => alert('note', `Your invitation to ${name} has expired: ask for a new one.`))}
    <p class="faint">Not you? <a href="${back}">Sign in as somebody else</a></p>
  </section>`;
}

const choices = ({ action, csrf_token }: SignInTarget, all: readonly Choosable[]): Html =>
  form({ action, csrf_token, content: all.map((each) => choice('organization_id', each)) });
