import { notFound } from '../../errors.ts';
import { createConnection } from '../connections/connection-creation.ts';
import { organizationConnection, type Connection } from '../connections/connection-lookup.ts';
import { updateConnection } from '../connections/connection-update.ts';
import { switchConnection } from '../connections/connections.ts';
import { withSettings } from '../connections/initial-settings.ts';
import { missingSettings } from '../connections/settings.ts';
import type { Operations } from '../handler.ts';
import { catchRefusal, problemOf } from '../hosted/portal.ts';
import { isSso } from './connection-list.ts';
import { connectionPage } from './connection-page.ts';
import { LABELS, settingsOf } from './connection-settings.ts';
import { overview } from './overview.ts';
import type { Visit } from './session.ts';
import { redirectTo, withSubmittedForm, withVisit, requireFeature } from './visit.ts';

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

  /** Unverified: the service tests the connection with a real sign-in. Here the settings are checked. */
  Portal_TestConnection({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
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
