import type { Env } from '../../state/env.ts';
import { alert, field, form } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import { showPage, type CustomReply } from '../handler.ts';
import { writeCookie } from '../hosted/browser.ts';
import { applicationName, lookOf } from './appearance.ts';
import { CONTINUE } from './sign-in-form.ts';
import { logSignIn, pagePath, type Transaction } from './transaction.ts';

export interface SignUpFields {
  email?: string | undefined;
  organization_name?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
}

export type SignUpProblems = Partial<Record<keyof SignUpFields, string>>;

interface RejectedSignUp {
  problems?: SignUpProblems;
  /** The message of the interceptor. */
  denial?: string;
}

/**
 * Shows the form again, because the user may try another address. Unverified (interceptors/denied-sign-up): until then
 * the sign-in counts as failed.
 */
export function deniedPage(env: Env, { id }: Transaction, filled: SignUpFields, denial: string): CustomReply {
  env.decidedBy('interceptors/denied-sign-up');
  const { identity } = env.login_transactions.get(id);
  const provided = identity?.connection_id ? identity : undefined;
  const transaction = env.login_transactions.update(id, {
    passwordless_request_id: undefined,
    identity: provided,
  });
  logSignIn(env, transaction, 'FAILED');
  return signUpPage(env, transaction, filled, { denial });
}

/** Creates an account, or an organization for a user without one. */
export function signUpPage(
  env: Env,
  transaction: Transaction,
  filled: SignUpFields,
  { problems = {}, denial }: RejectedSignUp = {},
): CustomReply {
  const { csrf_token, browser_secret, user_id = '', identity } = transaction;
  const name = applicationName(env, transaction);
  const user = env.users.find(user_id);
  const known = user?.email ?? identity?.email;
  const shown = { filled: { ...namesIn(identity?.attributes), ...filled }, problems };
  const content = html`${!known && addressField(shown)}
  ${user ? organizationField(shown) : furtherFields(shown)} ${CONTINUE}`;
  const body = html`<section class="card">
    <h1>${user ? 'Create your organization' : 'Sign up'}</h1>
    <p class="faint">to continue to ${name}${known && html` as <strong>${known}</strong>`}</p>
    ${denial && alert('bad', denial)}
    ${form({ action: pagePath(transaction, 'sign-up'), csrf_token, content })}
    <p class="faint">
      ${user ? 'Not you?' : 'You have an account?'} <a href="${pagePath(transaction)}">Sign in</a>
    </p>
  </section>`;
  const isRefused = Object.keys(problems).length > 0;
  const status = denial ? 403 : isRefused ? 400 : 200;
  return showPage(
    { title: `Sign up to ${name}`, body, look: lookOf(env, transaction) },
    { status, cookies: denial ? [writeCookie(env, 'understudy_login', browser_secret)] : [] },
  );
}

function namesIn({ given_name, family_name }: Record<string, unknown> = {}): SignUpFields {
  return {
    ...(typeof given_name === 'string' && { first_name: given_name }),
    ...(typeof family_name === 'string' && { last_name: family_name }),
  };
}

interface SignUpForm {
  filled: SignUpFields;
  problems: SignUpProblems;
}

/** Nobody needs to fill these in. */
const furtherFields = ({ filled, problems }: SignUpForm): Html => {
  const { first_name, last_name, organization_name } = filled;
  const isUsed = [first_name, last_name, organization_name, problems.organization_name].some(Boolean);
  return html`<details ${isUsed && 'open'}>
    <summary>Name and organization</summary>
    ${nameFields({ filled, problems })} ${organizationField({ filled, problems })}
  </details>`;
};

const addressField = ({ filled, problems }: SignUpForm): Html =>
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

const nameFields = ({ filled, problems }: SignUpForm): Html =>
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

const organizationField = ({ filled, problems }: SignUpForm): Html =>
  field({
    name: 'organization_name',
    label: 'Organization',
    value: filled.organization_name,
    hint: 'A new organization: you will be its first member. Without a name, it is called after you.',
    problem: problems.organization_name,
    autocomplete: 'organization',
  });
