import { breakable, html, type Html } from '../html.ts';
import { alert, field, form } from '../controls.ts';
import { choice, type Choosable, type SignInTarget } from './sign-in-form.ts';

interface CodePage extends SignInTarget {
  email: string;
  /** What the mail contains. */
  type: 'OTP' | 'LINK' | 'LINK_OTP';
  problem?: string | undefined;
  /** Nothing was mailed: the code is the one of the settings. */
  isTestUser: boolean;
  resend: string;
  /** The mail in the dashboard; undefined: nothing was mailed, or the mail was deleted. */
  mail: string | undefined;
  back: string;
}

/** Asks for the mailed code. */
export function codeBody(page: CodePage): Html {
  const { csrf_token, email, type, problem, resend, mail, back } = page;
  const content = html`<button class="quiet">Send it again</button>`;
  return html`<section class="card">
    <h1>${type === 'LINK' ? 'Check your mail' : 'Enter the code'}</h1>
    <p class="faint">${mailedText(page)}</p>
    ${type === 'LINK' ? problem && alert('bad', problem) : codeForm(page)}
    ${form({ action: resend, csrf_token, content })}
    ${mail !== undefined && html`<p class="faint"><a href="${mail}">Open the mail in the dashboard</a></p>`}
    <p class="faint">Not ${breakable(email)}? <a href="${back}">Use another address</a></p>
  </section>`;
}

function mailedText({ email, type, isTestUser }: CodePage): Html {
  if (isTestUser)
    return html`${breakable(email)} is a test user: nothing was mailed, the code is in the settings.`;
  if (type === 'OTP') return html`We sent a code to <strong>${breakable(email)}</strong>.`;
  const link = html`We sent a link to <strong>${breakable(email)}</strong>. Open it in this browser`;
  return type === 'LINK' ? html`${link}.` : html`${link}, or enter the code that is in the mail.`;
}

function codeForm({ action, csrf_token, problem }: CodePage): Html {
  const code = field({
    name: 'code',
    label: 'Code',
    problem,
    autocomplete: 'one-time-code',
    required: true,
    autofocus: true,
  });
  return form({ action, csrf_token, content: html`${code}<button>Continue</button>` });
}

interface OrganizationPage extends SignInTarget {
  application: string;
  email: string;
  memberships: readonly Choosable[];
  invitations: readonly Choosable[];
  /** Names of organizations whose invitation has expired. */
  expired: readonly string[];
  problem?: string | undefined;
  back: string;
}

/** Asks which organization to enter; entering accepts an invitation. */
export function organizationBody(page: OrganizationPage): Html {
  const { application, email, memberships, invitations, expired, problem, back } = page;
  return html`<section class="card">
    <h1>${memberships.length > 0 ? 'Choose an organization' : 'You are invited'}</h1>
    <p class="faint">to continue to ${application} as ${breakable(email)}</p>
    ${problem && alert('bad', problem)} ${memberships.length > 0 && choices(page, memberships)}
    ${invitations.length > 0 && memberships.length > 0 && html`<div class="or">invitations</div>`}
    ${invitations.length > 0 && choices(page, invitations)}
    ${expired.map((name) => alert('note', `Your invitation to ${name} has expired: ask for a new one.`))}
    <p class="faint">Not you? <a href="${back}">Sign in as another user</a></p>
  </section>`;
}

const choices = ({ action, csrf_token }: SignInTarget, all: readonly Choosable[]): Html =>
  form({ action, csrf_token, content: all.map((each) => choice('organization_id', each)) });
