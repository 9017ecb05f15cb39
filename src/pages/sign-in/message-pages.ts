import { html, type Html } from '../html.ts';
import { alert, form } from '../controls.ts';
import type { SignInTarget } from './sign-in-form.ts';

interface InvitationPage extends SignInTarget {
  organization: string;
  email: string;
  inviter?: string | undefined;
}

/** Asks whether to accept an invitation. */
export function invitationBody({ organization, email, inviter, ...target }: InvitationPage): Html {
  return html`<section class="card">
    <h1>Join ${organization}</h1>
    <p class="faint">${inviter ? `${inviter} has invited` : 'You are invited with'} ${email}.</p>
    ${form({ ...target, content: html`<button autofocus>Accept the invitation</button>` })}
  </section>`;
}

/** For applications without an initiate-login address. */
export const acceptedBody = (organization: string, email: string): Html =>
  html`<section class="card">
    <h1>Welcome to ${organization}</h1>
    ${alert('good', `${email} is a member now.`)}
    <p class="faint">Open the application and sign in with this address. You can close this page.</p>
  </section>`;

/** Shown in a browser other than the one that asked for the link: opening the mail alone must not sign in. */
export const linkBody = ({ email, ...target }: SignInTarget & { email: string }): Html =>
  html`<section class="card">
    <h1>Sign in here?</h1>
    <p>
      The link for <strong>${email}</strong> was asked for in another browser. You can continue in this one.
    </p>
    ${form({ ...target, content: html`<button>Continue</button>` })}
  </section>`;

interface DeniedPage {
  application: string;
  /** The interceptor's message, unchanged. */
  message: string;
  /** Leads back to the application with the error. */
  back: string;
}

/** The user is known but denied. */
export const deniedBody = ({ application, message, back }: DeniedPage): Html =>
  html`<section class="card">
    <h1>Not signed in</h1>
    ${alert('bad', message)}
    <a class="button quiet" href="${back}">Back to ${application}</a>
  </section>`;
