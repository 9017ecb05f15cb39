import { html, type Html } from '../html.ts';
import { alert, form } from '../parts.ts';
import type { SignInTarget } from './sign-in-form.ts';

interface InvitationPage extends SignInTarget {
  organization: string;
  email: string;
  inviter?: string | undefined;
}

/** Asks whether an invitation is accepted. */
export function invitationBody({ organization, email, inviter, ...target }: InvitationPage): Html {
  return html`<section class="card">
    <h1>Join ${organization}</h1>
    <p class="faint">${inviter ? `${inviter} has invited` : 'You are invited with'} ${email}.</p>
    ${form({ ...target, content: html`<button autofocus>Accept the invitation</button>` })}
  </section>`;
}

/** For applications that have not said where their sign-in begins. */
export const acceptedBody = (organization: string, email: string): Html =>
  html`<section class="card">
    <h1>Welcome to ${organization}</h1>
    ${alert('good', `${email} is a member now.`)}
    <p class="faint">Open the application and sign in with this address. You can close this page.</p>
  </section>`;
