import { html, type Html } from '../html.ts';
import { field } from '../controls.ts';
import { alert, form } from '../parts.ts';
import type { SignInTarget } from './sign-in-form.ts';

interface CodePage extends SignInTarget {
  email: string;
  /** What the mail has in it. */
  type: 'OTP' | 'LINK' | 'LINK_OTP';
  problem?: string | undefined;
  /** Nothing was mailed: the code is the one of the settings. */
  isTestUser: boolean;
  resend: string;
  back: string;
}

/** Asks for what was mailed. */
export function codeBody(page: CodePage): Html {
  const { csrf_token, email, type, problem, resend, back } = page;
  const content = html`<button class="quiet">Send it again</button>`;
  return html`<section class="card">
    <h1>${type === 'LINK' ? 'Check your mail' : 'Enter the code'}</h1>
    <p class="faint">${toldOf(page)}</p>
    ${type === 'LINK' ? problem && alert('bad', problem) : codeForm(page)}
    ${form({ action: resend, csrf_token, content })}
    <p class="faint">Not ${email}? <a href="${back}">Use another address</a></p>
  </section>`;
}

function toldOf({ email, type, isTestUser }: CodePage): Html {
  if (isTestUser) return html`${email} is a test user: nothing was mailed, the code is in the settings.`;
  if (type === 'OTP') return html`We sent a code to <strong>${email}</strong>.`;
  const link = html`We sent a link to <strong>${email}</strong>. Open it in this browser`;
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
