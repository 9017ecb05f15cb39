import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { field, select } from '../../pages/controls.ts';
import { html, type Fragment, type Html } from '../../pages/html.ts';
import { showPage, type CustomReply } from '../custom-reply.ts';
import { withEnvironmentName } from '../../text/issued-code.ts';
import { providerName, usersAt } from './provider-details.ts';

type Connection = Rows['connections'];

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
export function launchpadPage(
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
  const leadsTo = applications.map(({ address }) => address);
  return showPage(
    { title: `Applications at ${name}`, body, leadsTo },
    { status: filled.problem ? 400 : 200 },
  );
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
