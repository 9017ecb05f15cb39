import type { Env, Rows } from '@understudy/core/state/env';
import { field, form, select, textarea } from '@understudy/core/pages/controls';
import { html, type Fragment, type Html } from '@understudy/core/pages/html';
import {
  DENIED,
  failureNamed,
  grantAccess,
  grantedTokens,
  isByConsent,
  refuseAccess,
  type AuthorizationResult,
  FAILURES,
  providerName,
} from '../accounts/consent.ts';
import { choiceOf, keepPicked, wantedScopes } from '../accounts/scope-selection.ts';
import {
  credentialDetails,
  credentialFields,
  problemsOf,
  type CredentialField,
  type Credentials,
} from '../accounts/credential-fields.ts';
import { type CustomReply, showPage, type Operations } from '@understudy/core/operations/handler';
import {
  openAuthorization,
  submittedAuthorization,
  type Authorization,
  addressOf,
  redirectToPage,
  finishAuthorization,
} from './authorization.ts';
import { askWho } from './confirmation.ts';

type FormFields = Readonly<Record<string, string | undefined>>;

export const accountDecision = {
  AccountPage_Show({ path, cookies }, env) {
    const authorization = openAuthorization(env, path.authorization_id, cookies);
    return authorization.auth_request_id
      ? askWho(env, authorization, cookies)
      : decisionPage(env, authorization);
  },

  AccountPage_Decide({ path, cookies, body }, env) {
    const authorization = submittedAuthorization(env, path.authorization_id, cookies, body);
    // Consent was given already: the browser went back and sent the form again.
    if (authorization.auth_request_id) return redirectToPage(env, authorization);
    const account = env.connected_accounts.get(authorization.connected_account_id);
    const { scope = [], optional_scope = [], ...rest } = body ?? {};
    const form = rest as FormFields;
    if (form['outcome'] === 'denied')
      return finishAuthorization(env, authorization, refuseAccess(env, account, DENIED, authorization));
    if (form['outcome'] === 'failed') {
      const failure = failureNamed(form['error']);
      return finishAuthorization(env, authorization, refuseAccess(env, account, failure, authorization));
    }
    const picked = { scopes: [scope].flat(), optional_scopes: [optional_scope].flat() };
    const picking = form['picks_scopes'] === 'yes' ? keepPicked(env, account, picked) : account;
    return grant(env, authorization, picking, form);
  },
} satisfies Partial<Operations>;

function grant(
  env: Env,
  authorization: Authorization,
  account: Rows['connected_accounts'],
  form: FormFields,
): CustomReply {
  const done = (ending: AuthorizationResult) => finishAuthorization(env, authorization, ending);
  if (isByConsent(account))
    return done(grantAccess(env, account, grantedTokens(env, account), authorization));
  const fields = credentialFields(env, account);
  const entered = Object.fromEntries(
    fields.map(({ name }) => [name, form[`${FIELD_PREFIX}${name}`]?.trim() ?? '']),
  );
  const problems = problemsOf(fields, entered);
  if (problems.size > 0) return decisionPage(env, authorization, { entered, problems });
  return done(grantAccess(env, account, credentialDetails(env, account, entered), authorization));
}

type Account = Rows['connected_accounts'];

/** Prefix of the form fields that hold provider credentials. Everything under it is redacted. */
const FIELD_PREFIX = 'static_auth.';

interface RejectedCredentials {
  entered: Credentials;
  problems: ReadonlyMap<string, string>;
}

/** The page on which the third party asks for consent or for credentials. */
function decisionPage(env: Env, authorization: Authorization, filled?: RejectedCredentials): CustomReply {
  const account = env.connected_accounts.get(authorization.connected_account_id);
  const name = providerName(env, account);
  const isAsked = isByConsent(account);
  const { title, content } = isAsked ? consent(env, account, name) : credentials(env, account, name, filled);
  const { csrf_token } = authorization;
  const body = html`<section class="card">
    <h1>${title}</h1>
    ${form({ action: addressOf(authorization), csrf_token, content: [content, otherWays(name, isAsked ? 'Deny' : 'Cancel')] })}
  </section>`;
  return showPage({ title, body }, { status: filled ? 400 : 200 });
}

interface DecisionForm {
  title: string;
  content: Fragment;
}

function consent(env: Env, account: Account, name: string): DecisionForm {
  const content = html`<p class="faint">
      An application asks to use ${name} as <strong>${account.identifier}</strong>.
    </p>
    ${requestedAccess(env, account)} <button name="outcome" value="granted" autofocus>Allow</button>`;
  return { title: `Allow access to ${name}?`, content };
}

/** The scopes; as boxes to tick where the connection lets users pick. */
function requestedAccess(env: Env, account: Account): Fragment {
  const wanted = wantedScopes(env, account);
  const choice = choiceOf(env, env.connections.get(account.connection_id));
  if (choice.isAllowed)
    return html`<fieldset>
      <legend>Requested access</legend>
      <input type="hidden" name="picks_scopes" value="yes" />
      ${choice.scopes.map((scope) => box('scope', scope, wanted, choice.required))}
      ${choice.optional.map((scope) => box('optional_scope', scope, wanted, choice.requiredOptional))}
    </fieldset>`;
  return (
    wanted.length > 0 &&
    html`<h2>Requested access</h2>
      <ul>
        ${wanted.map((scope) => html`<li><code>${scope}</code></li>`)}
      </ul>`
  );
}

function box(name: string, scope: string, wanted: readonly string[], required: readonly string[]): Html {
  const isRequired = required.includes(scope);
  return html`<label class="choice"
    ><input
      type="checkbox"
      name="${name}"
      value="${scope}"
      ${(isRequired || wanted.includes(scope)) && html`checked`}
      ${isRequired && html`disabled`}
    />
    <code>${scope}</code></label
  >`;
}

function credentials(env: Env, account: Account, name: string, filled?: RejectedCredentials): DecisionForm {
  const fields = credentialFields(env, account);
  const content = html`<p class="faint">for <strong>${account.identifier}</strong></p>
    ${fields.map((each) => inputOf(each, filled))}
    <button name="outcome" value="granted">Connect</button>`;
  return { title: `Connect ${name}`, content };
}

/** Passwords are never prefilled. */
function inputOf(wanted: CredentialField, filled?: RejectedCredentials): Html {
  const { name, label, input, hint, required, options } = wanted;
  const value = input === 'password' ? '' : filled?.entered[name];
  const problem = filled?.problems.get(name);
  const shared = { name: `${FIELD_PREFIX}${name}`, id: name, label, hint, required, value, problem };
  if (input === 'textarea') return textarea(shared);
  const offered = options.map(({ value, label }) => [value, label] as const);
  if (offered.length > 0) return select({ ...shared, options: required ? offered : [NOTHING, ...offered] });
  return field({ ...shared, type: input === 'password' ? 'password' : 'text' });
}

const NOTHING = ['', 'None'] as const;

/** A button for denying access. What only a tester needs is folded: the end user of a demonstration does not see it. */
const otherWays = (name: string, refusal: string): Html =>
  html`<button class="quiet" name="outcome" value="denied" formnovalidate>${refusal}</button>
    <details class="for-tests">
      <summary>For tests: let ${name} fail</summary>
      ${select({
        name: 'error',
        label: `Answer of ${name}`,
        options: Object.entries(FAILURES).map(([value]) => [value, value] as const),
      })}
      <button class="quiet" name="outcome" value="failed" formnovalidate>Fail</button>
    </details>`;
