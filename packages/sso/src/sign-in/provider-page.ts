import type { Env, Rows } from '@understudy/core/state/env';
import { field, form, hidden, select, textarea } from '@understudy/core/pages/controls';
import { html, type Fragment, type Html } from '@understudy/core/pages/html';
import { choiceText } from '@understudy/core/operations/sign-in/sign-in-form';
import { showPage, type CustomReply } from '@understudy/core/operations/handler';
import { registeredNames, type ProviderForm, type ProviderFormProblems } from './answer-form.ts';
import { providerName } from '@understudy/core/operations/connections/sign-in-connection';

type Connection = Rows['connections'];

interface ProviderPage {
  connection: Connection;
  action: string;
  /** Absent: the form belongs to no sign-in of this browser. */
  csrf_token?: string;
  /** Further fields of each form. */
  carried?: Readonly<Record<string, string | undefined>>;
  /** The answer is for a service provider of the tester's, which decides itself what it takes. */
  isForeign?: boolean;
  purpose: string;
  filled?: ProviderForm;
  problems?: ProviderFormProblems;
  below?: Fragment;
}

/** The simulated identity provider: the tester signs a user in or picks an error. */
export function providerPage(env: Env, shown: ProviderPage): CustomReply {
  const { connection, purpose, problems = {}, below } = shown;
  const name = providerName(connection);
  const body = html`<section class="card">
      <h1>Sign in with ${name}</h1>
      <p class="faint">${purpose}. This page simulates the provider: choose its answer.</p>
      ${peopleForms(env, shown)}
    </section>
    <section class="card">
      <h2>Another user</h2>
      ${personForm(shown)}
    </section>
    <section class="card">
      <h2>No sign-in</h2>
      ${errorForm(shown)} ${denyForm(shown)}
    </section>
    ${below}`;
  const status = Object.keys(problems).length > 0 ? 400 : 200;
  return showPage({ title: `Sign in with ${name}`, body }, { status });
}

function peopleForms(env: Env, shown: ProviderPage): Fragment {
  const { connection, filled = {} } = shown;
  return usersAt(env, connection, filled.email).map(({ email, user_profile }) => {
    const { given_name = '', family_name = '' } = user_profile;
    const fullName = `${given_name} ${family_name}`.trim() || email;
    const content = html`${hidden('email', email)} ${hidden('given_name', given_name)}
      ${hidden('family_name', family_name)} <button class="choice">${choiceText(fullName, email)}</button>`;
    return answerForm(shown, content);
  });
}

const answerForm = ({ action, csrf_token, carried = {} }: ProviderPage, content: Fragment): Html =>
  form({
    action,
    csrf_token,
    content: html`${Object.entries(carried).map(([name, value]) => value !== undefined && hidden(name, value))}
    ${content}`,
  });

function personForm(shown: ProviderPage): Html {
  const { filled = {}, problems = {} } = shown;
  const content = html`${field({
      name: 'email',
      label: 'E-mail address',
      type: 'email',
      value: filled.email,
      problem: problems.email,
      required: true,
    })}
    ${field({ name: 'given_name', label: 'Given name', value: filled.given_name })}
    ${field({ name: 'family_name', label: 'Family name', value: filled.family_name })}
    ${attributesField(hintOf(shown), filled.attributes, problems.attributes)} <button>Sign in</button>`;
  return answerForm(shown, content);
}

function hintOf({ connection, isForeign }: ProviderPage): string {
  if (isForeign) return 'One on each line, as name=value. A name may stand on several lines.';
  const registered = registeredNames(connection);
  return registered.length > 0
    ? `One on each line, as name=value. The connection takes ${registered.join(', ')}.`
    : 'One on each line, as name=value. The connection takes only the attributes of its attribute mapping, which has no others than the names.';
}

const attributesField = (hint: string, value = '', problem?: string): Html =>
  textarea({ name: 'attributes', label: 'Further attributes', value, hint, problem });

function errorForm(shown: ProviderPage): Html {
  const { filled = {}, problems = {} } = shown;
  const content = html`${select({
      name: 'error',
      label: 'Error',
      options: SIGN_IN_ERRORS.map((each) => [each, each] as const),
      value: filled.error,
      problem: problems.error,
    })}
    ${field({
      name: 'error_description',
      label: 'Description',
      value: filled.error_description,
      hint: 'Optional.',
    })} <button class="quiet">Answer with this error</button>`;
  return answerForm(shown, content);
}

function denyForm(shown: ProviderPage): Html {
  const content = html`${hidden('error', 'access_denied')}
    ${hidden('error_description', 'the user denied the sign-in')} <button class="bad">Deny</button>`;
  return answerForm(shown, content);
}

/** A longer list would need a search; typing the address is faster. */
const MOST = 6;

/** Users to offer on the provider's page, the named one first. */
export function usersAt(env: Env, { organization_id }: Rows['connections'], named?: string): Rows['users'][] {
  const users =
    organization_id === undefined
      ? env.users.list()
      : env.memberships.list('organization_id', organization_id).map(({ user_id }) => env.users.get(user_id));
  const first = users.find(({ email }) => email.toLowerCase() === named?.toLowerCase());
  const others = users.filter((user) => user !== first).slice(0, first ? MOST - 1 : MOST);
  return first ? [first, ...others] : others;
}

/**
 * Errors that a sign-in can return instead of a code, the most likely first (Scalekit docs, SSO integration
 * errors).
 */
const SIGN_IN_ERRORS = [
  'access_denied',
  'server_error',
  'authentication_not_completed',
  'user_login_required',
  'user_not_active',
  'unauthorized',
  'invalid_request',
  'invalid_client',
  'invalid_redirect_uri',
  'invalid_user_domain',
  'domain_not_found',
  'invalid_connection_selector',
  'invalid_connection_id',
  'invalid_organization_id',
  'connection_not_active',
  'no_active_connections',
  'no_configured_connections',
  'application_not_active',
  'mandatory_attribute_missing',
  'invalid_id_token',
  'failed_to_exchange_token',
  'user_info_retrieve_failed',
  'invalid_saml_metadata',
  'invalid_saml_response',
  'invalid_saml_request',
  'invalid_saml_form_params',
  'signature_validation_failed',
  'invalid_acs_url',
  'invalid_assertion_url',
  'invalid_status',
  'malformed_saml_response',
  'assertion_expired',
  'response_expired',
] as const;
