import { alert, field, form } from '../controls.ts';
import { html, type Html } from '../html.ts';
import type { SignInTarget } from './sign-in-form.ts';

export interface SignUpFields {
  email?: string | undefined;
  organization_name?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
}

interface SignUpPage extends SignInTarget {
  application: string;
  filled: SignUpFields;
  problems: Partial<Record<keyof SignUpFields, string>>;
  /** Why this sign-up is denied. */
  denial?: string | undefined;
  /** The address, if it is already known. */
  known?: string | undefined;
  /** The user exists, only the organization is missing. */
  isUser: boolean;
  back: string;
}

/** Creates an account, or an organization for a user without one. */
export function signUpBody(page: SignUpPage): Html {
  const { action, csrf_token, application, known, isUser, back, denial } = page;
  const content = html`${!known && addressField(page)} ${!isUser && nameFields(page)}
    ${organizationField(page)} <button>${isUser ? 'Create the organization' : 'Sign up'}</button>`;
  return html`<section class="card">
    <h1>${isUser ? 'Create your organization' : 'Sign up'}</h1>
    <p class="faint">to continue to ${application}${known && html` as <strong>${known}</strong>`}</p>
    ${denial && alert('bad', denial)} ${form({ action, csrf_token, content })}
    <p class="faint">${isUser ? 'Not you?' : 'You have an account?'} <a href="${back}">Sign in</a></p>
  </section>`;
}

const addressField = ({ filled, problems }: SignUpPage): Html =>
  field({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: filled.email,
    problem: problems.email,
    autocomplete: 'email',
    required: true,
    autofocus: !filled.email,
  });

const nameFields = ({ filled, problems }: SignUpPage): Html =>
  html`${field({
    name: 'first_name',
    label: 'First name',
    value: filled.first_name,
    problem: problems.first_name,
    autocomplete: 'given-name',
  })}
  ${field({
    name: 'last_name',
    label: 'Last name',
    value: filled.last_name,
    problem: problems.last_name,
    autocomplete: 'family-name',
  })}`;

const organizationField = ({ filled, problems }: SignUpPage): Html =>
  field({
    name: 'organization_name',
    label: 'Organization',
    value: filled.organization_name,
    hint: 'A new organization: you will be its first member.',
    problem: problems.organization_name,
    autocomplete: 'organization',
    required: true,
  });
