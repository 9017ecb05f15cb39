import type { Env, Rows } from '@understudy/core/state/env';
import { failedPrecondition, notFound } from '@understudy/core/contract/errors';
import { isScript } from '@understudy/text/addresses';
import { field, select } from '@understudy/core/pages/controls';
import { html, type Fragment, type Html } from '@understudy/core/pages/html';
import { withEnvironmentName } from '@understudy/text/issued-code';
import {
  Redirect,
  withQuery,
  showPage,
  type CustomReply,
  type Operations,
} from '@understudy/core/operations/handler';
import { withSettings } from '@understudy/core/operations/connections/settings';
import { expandAddress } from '@understudy/core/operations/oauth/redirect-uris';
import { tokenClaims } from '@understudy/core/operations/oauth/user-grant';
import { isEmail } from './answer-form.ts';
import {
  type SelectionError,
  isActive,
  protocolOf,
  providerName,
} from '@understudy/core/operations/connections/sign-in-connection';
import { usersAt } from './provider-page.ts';

type Connection = Rows['connections'];

/** Seconds that the application has to begin the sign-in (Scalekit docs, IdP-initiated SSO). */
const LIFETIME = 300;

/**
 * Sign-ins that begin at the identity provider: the application gets a token and starts the authorization
 * itself.
 */
export const initiate = {
  IdentityProvider_ShowApplications({ path }, env) {
    const connection = connectionOfPath(env, path.connection_id);
    return launchpadPage(env, connection, applications(env, connection));
  },

  IdentityProvider_Initiate({ path, body = {} }, env) {
    const connection = connectionOfPath(env, path.connection_id);
    const known = applications(env, connection);
    const chosen = applicationFor(env, connection, body.client_id);
    const login_hint = body.email?.trim() ?? '';
    if (!isEmail(login_hint))
      return launchpadPage(env, connection, known, { ...body, problem: 'Enter an e-mail address.' });
    const refusal = refusalOf(env, connection);
    if (refusal) return new Redirect(withQuery(chosen.address, { ...refusal }), { status: 303 });
    return beginAtApplication(env, connection, { ...chosen, login_hint, relay_state: body.relay_state });
  },
} satisfies Partial<Operations>;

/** The application at which a sign-in goes on. Throws if there is none. */
export function applicationFor(env: Env, connection: Connection, clientId?: string): Application {
  const chosen = applications(env, connection).find(({ client }) => !clientId || client.id === clientId);
  if (!chosen) throw noAddressToBeginAt(clientId);
  return chosen;
}

interface BegunSignIn extends Application {
  login_hint: string;
  relay_state: string | undefined;
}

/** Sends the browser to the application with a token about the user. */
export function beginAtApplication(
  env: Env,
  connection: Connection,
  { address, login_hint, relay_state }: BegunSignIn,
): Redirect {
  const idp_initiated_login = env.token(claimsOf(env, connection, login_hint, relay_state));
  return new Redirect(address, { status: 303, tokens: { idp_initiated_login } });
}

/** The address names the environment, because the browser has no cookie yet. */
function connectionOfPath(env: Env, marked: string): Connection {
  const connection = env.connections.get(marked.slice(marked.lastIndexOf('.') + 1));
  if (connection.organization_id && protocolOf(connection)) return connection;
  throw notFound('identity provider', connection.id);
}

/**
 * Applications with an initiate-login address come first. The vendor's SSO simulator uses the default
 * redirect address (Scalekit docs, SSO simulator).
 */
function applications(env: Env, connection: Connection): Application[] {
  const { saml_config, organization_id } = connection;
  const organization = organization_id ? env.organizations.get(organization_id) : undefined;
  return env.clients
    .list('client_type', 'ALL')
    .toSorted((a, b) => Number(!a.initiate_login_uri) - Number(!b.initiate_login_uri))
    .flatMap((client) => {
      const initial = saml_config?.default_redirect_uri || client.post_login_uris?.[0];
      const registered =
        connection.provider === 'IDP_SIMULATOR'
          ? initial || client.initiate_login_uri
          : client.initiate_login_uri || initial;
      const address = registered && expandAddress(registered, organization);
      return address && URL.canParse(address) && !isScript(address) ? [{ client, address }] : [];
    });
}

const noAddressToBeginAt = (client: string | undefined) =>
  failedPrecondition(
    `${client ? `client ${client}` : 'no client'} has an address where a sign-in can begin: set initiate_login_uri of a client`,
  );

/** Unverified (identity-provider/initiated-sign-in): only SAML has a switch for this; the text is ours. */
export function refusalOf(env: Env, connection: Connection): SelectionError | undefined {
  const { id, type, provider } = connection;
  if (!isActive(connection))
    return { error: 'connection_not_active', error_description: `connection ${id} is not active` };
  if (type !== 'SAML' || provider === 'IDP_SIMULATOR') return undefined;
  if (withSettings(env, connection).saml_config?.allow_idp_initiated_login) return undefined;
  env.decidedBy('identity-provider/initiated-sign-in');
  return {
    error: 'unauthorized',
    error_description: `connection ${id} does not allow sign-ins that begin at the identity provider`,
  };
}

function claimsOf(env: Env, { id, organization_id }: Connection, login_hint: string, relay_state?: string) {
  return {
    ...tokenClaims(env, LIFETIME),
    organization_id,
    connection_id: id,
    login_hint,
    ...(relay_state && { relay_state }),
  };
}

export interface Application {
  client: Rows['clients'];
  address: string;
}

interface LaunchpadForm {
  email?: string;
  relay_state?: string;
  client_id?: string;
  problem?: string;
}

const launchpadPath = (env: Env, { id }: Connection) =>
  `/ui/identity-provider/connections/${withEnvironmentName(env, id)}`;

/** Link from the provider's page to the page for IdP-initiated sign-ins. */
export const launchpadLink = (env: Env, connection: Connection): Fragment =>
  connection.organization_id !== undefined &&
  html`<p class="faint below">
    <a href="${launchpadPath(env, connection)}">Start at the identity provider instead</a>
  </p>`;

/** The page on which a user of the identity provider chooses an application. */
function launchpadPage(
  env: Env,
  connection: Connection,
  applications: readonly Application[],
  filled: LaunchpadForm = {},
): CustomReply {
  const name = providerName(connection);
  const body = html`<section class="card">
    <h1>Applications at ${name}</h1>
    <p class="faint">
      This page simulates the provider: the sign-in starts here and continues in the application.
    </p>
    ${
      applications.length > 0
        ? beginForm(env, connection, applications, filled)
        : html`<p class="alert note" role="status">
            No application can start here. Set <code>initiate_login_uri</code> of a client.
          </p>`
    }
  </section>`;
  return showPage({ title: `Applications at ${name}`, body }, { status: filled.problem ? 400 : 200 });
}

/** No CSRF token: identity providers send users here without one. */
function beginForm(
  env: Env,
  connection: Connection,
  applications: readonly Application[],
  { email, relay_state, client_id, problem }: LaunchpadForm,
): Fragment {
  const [first] = usersAt(env, connection);
  const address = field({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: email ?? first?.email,
    problem,
    required: true,
  });
  const relay = field({
    name: 'relay_state',
    label: 'Relay state',
    value: relay_state,
    hint: 'What the application gets back. Optional.',
  });
  return html`<form method="post" action="${launchpadPath(env, connection)}">
    ${applicationField(applications, client_id)} ${address} ${relay}
    <button>Begin</button>
  </form>`;
}

const applicationField = (applications: readonly Application[], chosen: string | undefined): Html =>
  select({
    name: 'client_id',
    label: 'Application',
    options: applications.map(({ client: { id, name } }) => [id, name] as const),
    value: chosen,
  });
