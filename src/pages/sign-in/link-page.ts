import { html, type Html } from '../html.ts';
import { form } from '../parts.ts';
import type { SignInTarget } from './sign-in-form.ts';

/** In another browser than the one that asked for the link: nobody signs in there by looking at a mail. */
export const linkBody = ({ email, ...target }: SignInTarget & { email: string }): Html =>
  html`<section class="card">
    <h1>Sign in here?</h1>
    <p>The link for <strong>${email}</strong> was asked for in another browser. You can go on in this one.</p>
    ${form({ ...target, content: html`<button>Continue</button>` })}
  </section>`;
