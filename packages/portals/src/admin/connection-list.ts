import { form, select } from '@understudy/core/pages/controls';
import { html, labelled, table, type Html } from '@understudy/core/pages/html';
import { domainsOf, type Connection } from '@understudy/core/operations/connections/connection-lookup';
import type { FormProblem } from '../portal.ts';
import type { Visit } from './visit.ts';

/** Identity providers that the portal offers; the simulated one needs no settings. */
const PROVIDERS = [
  ['OKTA', 'Okta'],
  ['MICROSOFT_AD', 'Microsoft Entra ID'],
  ['GOOGLE', 'Google Workspace'],
  ['JUMPCLOUD', 'JumpCloud'],
  ['ONELOGIN', 'OneLogin'],
  ['PING_IDENTITY', 'Ping Identity'],
  ['AUTH0', 'Auth0'],
  ['ADFS', 'Microsoft AD FS'],
  ['CUSTOM', 'Another provider'],
  ['IDP_SIMULATOR', 'Simulated provider'],
] as const;

const WITHOUT_DIRECTORY: readonly string[] = ['ADFS', 'CUSTOM', 'IDP_SIMULATOR'];

export const DIRECTORY_PROVIDERS = PROVIDERS.filter(([value]) => !WITHOUT_DIRECTORY.includes(value));

/** The provider's display name, or its key if the portal does not offer it. */
export const providerLabel = (provider = 'CUSTOM'): string =>
  PROVIDERS.find(([value]) => value === provider)?.[1] ?? provider;

export interface SectionState {
  problem: FormProblem;
  filled: Readonly<Record<string, string | undefined>>;
}

/** The connection types that an administrator can set up. */
export const isSso = ({ type }: Connection): boolean => type === 'OIDC' || type === 'SAML';

export function connectionsSection(visit: Visit, refused?: SectionState): Html {
  const { env, organization, session } = visit;
  const connections = env.connections.list('organization_id', organization.id).filter(isSso);
  return html`<section class="card" id="connections">
    <h2>Single sign-on</h2>
    ${
      connections.length === 0
        ? html`<p class="faint">No connection to an identity provider yet.</p>`
        : connectionTable(visit, connections)
    }
    <details ${(refused || connections.length === 0) && 'open'}>
      <summary>Add a connection</summary>
      ${form({ action: '/portal/connections', csrf_token: session.csrf_token, content: fields(refused) })}
    </details>
  </section>`;
}

const connectionTable = ({ env }: Visit, connections: readonly Connection[]): Html =>
  table(
    ['Provider', 'Domains', 'State'],
    connections.map((connection) => [
      html`<a href="/portal/connections/${connection.id}">${providerLabel(connection.provider)}</a>
        <span class="faint">${connection.type}</span>`,
      labelled(
        domainsOf(env, connection)
          .map(({ domain }) => domain)
          .join(', ') || '–',
      ),
      stateBadge(connection),
    ]),
  );

/** Whether users can sign in with the connection, and if not, why. */
export function stateBadge({ enabled, status }: Pick<Connection, 'enabled' | 'status'>): Html {
  if (enabled) return html`<span class="badge good">On</span>`;
  return html`<span class="badge">${status === 'COMPLETED' ? 'Off' : 'Not complete'}</span>`;
}

const fields = (refused: SectionState | undefined): Html =>
  html`${refused && html`<p class="alert bad" role="alert">${refused.problem.text}</p>`}
    ${select({
      name: 'provider',
      label: 'Identity provider',
      options: PROVIDERS,
      value: refused?.filled['provider'],
    })}
    ${select({
      name: 'type',
      label: 'Protocol',
      options: [
        ['OIDC', 'OpenID Connect'],
        ['SAML', 'SAML 2.0'],
      ],
      value: refused?.filled['type'],
    })} <button>Add connection</button>`;
