import { useSignal } from '@preact/signals';
import { serviceUrl } from '../browser.ts';
import type { Row } from '@understudy/client/control';
import { useAction, useData } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { useNow } from '../now.ts';
import { bound, Choice } from '../parts/fields.tsx';
import { Complaint, Do, Empty, Field, Heading } from '../parts/parts.tsx';
import { Sessions } from '../parts/sessions.tsx';
import { SignInForm } from '../parts/sign-in-form.tsx';
import { Token } from '../parts/token.tsx';
import { environmentName, href } from '../route.ts';
import { environment } from '../session.ts';
import { initiateAddress, signInRows, type Rows, decode } from '../sign-in/authorize.ts';

/** Signs people in, and shows who is signed in. */
export function SignInsPage() {
  const { value: rows, error } = useData(signInRows, ['state', 'snapshot']);
  const now = useNow();
  return (
    <>
      <Heading title="Sign-ins" />
      <Complaint of={error} />
      {rows && <SignInForm key={environmentName.value} rows={rows} />}
      {rows && <ProviderStart rows={rows} />}
      <Sessions now={now} />
      <ReadToken now={now} />
    </>
  );
}

/** Sign-ins that start at the identity provider of an organization. */
function ProviderStart({ rows: { connections, clients, organizations, ownClient } }: { rows: Rows }) {
  const action = useAction();
  const ofOrganizations = connections.filter(
    ({ organization_id, type }) => organization_id !== undefined && (type === 'OIDC' || type === 'SAML'),
  );
  const chosen = useSignal('');
  const client_id = useSignal('');
  const id = chosen.value || ofOrganizations[0]?.id;
  const client = clients.find(({ id: each }) => each === (client_id.value || ownClient)) ?? clients[0];
  const named = new Map(organizations.map((each) => [each.id, each.display_name]));
  return (
    <section class="card">
      <h2>Start at the identity provider</h2>
      <Complaint of={action.error.value} />
      {id === undefined ? (
        <Empty>No organization has a connection for single sign-on. The fixture sso has one.</Empty>
      ) : (
        <>
          <div class="grid">
            <Choice
              label="Identity provider"
              value={id}
              onInput={(text) => (chosen.value = text)}
              options={ofOrganizations.map((each) => [each.id, nameOf(each, named)])}
            />
            <Choice
              label="Application"
              value={client?.id ?? ''}
              onInput={(text) => (client_id.value = text)}
              options={clients.map((each) => [each.id, each.name])}
            />
          </div>
          {client && <Reception client={client} />}
          <div class="actions">
            {client && client.initiate_login_uri !== initiateAddress() && (
              <Do
                action={action}
                run={() =>
                  environment.value.state.patch('clients', client.id, {
                    initiate_login_uri: initiateAddress(),
                  })
                }
              >
                Send it to the dashboard
              </Do>
            )}
            <a class="button" href={launchpad(id)} target="_blank" rel="noreferrer">
              Open the identity provider
            </a>
          </div>
        </>
      )}
    </section>
  );
}

const nameOf = (
  { id, provider, type, organization_id = '' }: Row<'connections'>,
  named: ReadonlyMap<string, string>,
) => `${[provider, type, named.get(organization_id)].filter(Boolean).join(' · ')} (${id})`;

const launchpad = (id: string) => {
  const name = environmentName.value;
  return `${serviceUrl()}/ui/identity-provider/connections/${name === 'default' ? id : `${name}.${id}`}`;
};

/** Where the application continues a sign-in that began at the identity provider. */
function Reception({ client: { id, name, initiate_login_uri: known } }: { client: Row<'clients'> }) {
  const to = known === initiateAddress() ? 'the dashboard' : known;
  return (
    <p class="faint">
      {known === undefined ? (
        <>
          The application {name} has no <a href={href('row', 'clients', id)}>initiate_login_uri</a>, so it
          cannot continue a sign-in that starts at the identity provider.
        </>
      ) : (
        `The identity provider sends the browser of the application ${name} to ${to}.`
      )}
    </p>
  );
}

/** Decodes and verifies a token from elsewhere. */
function ReadToken({ now }: { now: number | undefined }) {
  const text = useDraft('token', '');
  const token = text.value.trim();
  return (
    <>
      <section class="card">
        <h2>Read a token</h2>
        <Field
          label="Token"
          hint="An access token or ID token. It stays in this browser."
          rows={3}
          {...bound(text)}
        />
        {token && !decode(token) && (
          <p role="status">This text is not a token. A token is a JWT: three parts with dots between them.</p>
        )}
      </section>
      {decode(token) && <Token title="The token" token={token} now={now} />}
    </>
  );
}
