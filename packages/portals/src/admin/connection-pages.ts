import { notFound } from '@understudy/core/contract/errors';
import { copyable, form, switchForm } from '@understudy/core/pages/controls';
import { html, type Html } from '@understudy/core/pages/html';
import {
  createConnection,
  updateConnection,
} from '@understudy/core/operations/connections/connection-writing';
import {
  organizationConnection,
  type Connection,
} from '@understudy/core/operations/connections/connection-lookup';
import { switchConnection } from '@understudy/core/operations/connections/connections';
import { withSettings, missingSettings } from '@understudy/core/operations/connections/settings';
import type { Operations, CustomReply } from '@understudy/core/operations/handler';
import { catchRefusal, problemOf, type FormProblem } from '../portal.ts';
import { viewConnection } from '@understudy/core/operations/connections/connection-list';
import { viewSettings } from '@understudy/core/operations/connections/settings-view';
import { isSso, stateBadge, providerLabel } from './connection-list.ts';
import { LABELS, settingsOf, settingsFields, type SettingsForm } from './connection-fields.ts';
import { overview } from './overview.ts';
import {
  type Visit,
  backLink,
  portalPage,
  redirectTo,
  withSubmittedForm,
  withVisit,
  requireFeature,
} from './visit.ts';

export const connectionPages = {
  Portal_CreateConnection({ cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      requireFeature(visit, 'sso', 'page', 'connections');
      const { provider, type } = body;
      return catchRefusal(
        () => {
          const given = { ...(provider && { provider }), ...(type && { type }) };
          const connection = createConnection(env, given, { organization_id: visit.organization.id });
          return redirectTo(visit, pathOf(connection), { told: 'created', about: connection.id });
        },
        (refusal) =>
          overview(visit, { section: 'connections', problem: problemOf(refusal, {}), filled: body }),
      );
    });
  },

  Portal_ShowConnection({ path, cookies }, env) {
    return withVisit(env, cookies, (visit) => connectionPage(visit, found(visit, path.connection_id)));
  },

  Portal_UpdateConnection({ path, cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const connection = found(visit, path.connection_id);
      return catchRefusal(
        () => {
          updateConnection(env, connection, settingsOf(connection, body));
          return redirectTo(visit, pathOf(connection), { told: 'saved' });
        },
        (refusal) => connectionPage(visit, connection, { problem: problemOf(refusal, LABELS), filled: body }),
      );
    });
  },

  Portal_SwitchConnection({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const connection = found(visit, path.connection_id);
      const told = body?.enabled === 'true' ? 'enabled' : 'disabled';
      return catchRefusal(
        () => {
          const { error_message } = switchConnection(env, connection, told === 'enabled');
          const notice = { told, about: connection.id } as const;
          return redirectTo(visit, pathOf(connection), error_message === undefined ? notice : undefined);
        },
        () => connectionPage(visit, connection, { problem: { text: missingFieldsText(visit, connection) } }),
      );
    });
  },

  /**
   * Unverified (portal/test-of-connection): the service tests the connection with a real sign-in. Here the settings are
   * checked.
   */
  Portal_TestConnection({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      env.decidedBy('portal/test-of-connection');
      const connection = found(visit, path.connection_id);
      if (missingFields(visit, connection).length === 0)
        return redirectTo(visit, pathOf(connection), { told: 'tested' });
      return connectionPage(visit, connection, { problem: { text: missingFieldsText(visit, connection) } });
    });
  },
} satisfies Partial<Operations>;

function found(visit: Visit, id: string): Connection {
  requireFeature(visit, 'sso', 'connection', id);
  const connection = organizationConnection(visit.env, visit.organization.id, id);
  if (!isSso(connection)) throw notFound('connection', id);
  return connection;
}

const pathOf = ({ id }: Connection) => `/connections/${id}`;

const missingFields = ({ env }: Visit, connection: Connection) =>
  missingSettings(withSettings(env, connection));

function missingFieldsText(visit: Visit, connection: Connection): string {
  const names = missingFields(visit, connection).map((name) => LABELS[name] ?? name);
  return names.length > 0
    ? `Still missing: ${names.join(', ')}.`
    : 'The connection is not complete yet: save its settings.';
}

interface RejectedSettings {
  problem: FormProblem;
  /** The submitted values; without them the page shows the stored settings. */
  filled?: SettingsForm;
}

function connectionPage(visit: Visit, connection: Connection, refused?: RejectedSettings): CustomReply {
  const { csrf_token } = visit.session;
  const name = `${providerLabel(connection.provider)} ${connection.type}`;
  const settings = html`${settingsFields(visit.env, connection, refused)}<button>Save settings</button>`;
  const body = html`${backLink} ${summary(visit, connection, name)}
    <section class="card">
      <h2>For your identity provider</h2>
      <p class="faint">Copy these values into the application that you create there.</p>
      ${valuesToCopy(visit, connection)}
    </section>
    <section class="card">
      <h2>From your identity provider</h2>
      ${form({ action: `/portal/connections/${connection.id}`, csrf_token, content: settings })}
    </section>`;
  const isOfField = refused?.problem.field !== undefined;
  return portalPage(visit, {
    title: name,
    body,
    problem: isOfField ? undefined : refused?.problem.text,
    status: refused ? 400 : 200,
  });
}

const summary = (visit: Visit, connection: Connection, name: string): Html =>
  html`<section class="card">
    <div class="bar">
      <h1>${name}</h1>
      ${stateBadge(connection)}
    </div>
    <p class="faint"><code>${connection.id}</code></p>
    <div class="actions">
      ${switching(visit, connection)} ${testForm(visit, connection)} ${tryLink(visit, connection)}
    </div>
  </section>`;

const switching = ({ session: { csrf_token } }: Visit, { id, enabled }: Connection): Html =>
  switchForm({ action: `/portal/connections/${id}/switch`, csrf_token, enabled, off: 'bad' });

const testForm = ({ session }: Visit, { id }: Connection): Html =>
  form({
    action: `/portal/connections/${id}/test`,
    csrf_token: session.csrf_token,
    content: html`<button class="quiet">Test</button>`,
    inline: true,
  });

/** Opens in a new tab: the identity provider's page may not be framed. */
const tryLink = ({ env }: Visit, connection: Connection): Html | false =>
  connection.status === 'COMPLETED' &&
  html`<a
    class="button quiet"
    target="_blank"
    rel="noopener"
    href="${viewConnection(env, connection).test_connection_uri}"
    >Try a sign-in</a
  >`;

function valuesToCopy({ env }: Visit, connection: Connection): Html {
  const shown = viewSettings(env, withSettings(env, connection));
  const oidc = shown && 'oidc_config' in shown ? shown.oidc_config : undefined;
  const saml = shown && 'saml_config' in shown ? shown.saml_config : undefined;
  const values = [
    ['redirect_uri', 'Redirect URI', oidc?.redirect_uri],
    ['post_logout_redirect_uri', 'Address after signing out', oidc?.post_logout_redirect_uri],
    ['sp_assertion_url', 'ACS URL', saml?.sp_assertion_url],
    ['sp_entity_id', 'Entity ID', saml?.sp_entity_id],
    ['sp_metadata_url', 'Metadata URL', saml?.sp_metadata_url],
    ['sp_slo_url', 'Sign-out URL', saml?.sp_slo_url],
  ] as const;
  return html`${values.map(([name, label, value]) => value !== undefined && copyable({ name, label, value }))}`;
}
