import type { Env } from '../state/env.ts';
import { dashboardAddress, html, type Html } from '../pages/html.ts';
import { alert } from '../pages/controls.ts';
import type { PageContent } from '../pages/page.ts';
import { showPage, withQuery, type Operations } from './handler.ts';
import { isEnvironmentClient } from './oauth/client-authentication.ts';
import { isRegistered } from './oauth/redirect-uris.ts';

export const frontPage = {
  FrontPage_Show(_, env) {
    const { environment, baseUrl } = env;
    return showPage(frontPageContent({ environment, baseUrl, signIn: signInAddress(env) }));
  },

  FrontPage_SignedIn({ query }, env) {
    const { id: client_id = '' } = environmentClient(env) ?? {};
    const redirect_uri = returnAddress(env);
    return showPage(signedInContent({ ...query, client_id, redirect_uri, baseUrl: env.baseUrl }));
  },
} satisfies Partial<Operations>;

/**
 * A sign-in link of the environment's own client that returns to our page; undefined if our page is not
 * registered.
 */
function signInAddress(env: Env): string | undefined {
  const client = environmentClient(env);
  const redirect_uri = returnAddress(env);
  if (!client || !isRegistered(client.post_login_uris, redirect_uri)) return undefined;
  return withQuery('/oauth/authorize', {
    client_id: client.id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'front-page',
  });
}

const returnAddress = ({ baseUrl }: Env) => `${baseUrl}/ui/signed-in`;

const environmentClient = (env: Env) => env.clients.list().find(isEnvironmentClient);

interface FrontPage {
  environment: string;
  baseUrl: string;
  /** A sign-in link that returns to our page; undefined if the client's redirect URIs do not allow it. */
  signIn: string | undefined;
}

/** The page at the service's address: what Understudy is, and links. */
const frontPageContent = (front: FrontPage): PageContent => ({
  title: 'Understudy',
  wide: true,
  body: html`<header class="front">
      <h1>Understudy</h1>
      <p class="faint">
        A simulator of the Scalekit API. It is running at <code>${front.baseUrl}</code>, and this is its
        environment <strong>${front.environment}</strong>.
      </p>
    </header>
    ${sections(front).map(
      ({ heading, content }) =>
        html`<section class="card">
          <h2>${heading}</h2>
          ${content}
        </section>`,
    )}`,
});

const sections = ({ environment, signIn }: FrontPage) => [
  {
    heading: 'Dashboard',
    content: links([
      [
        dashboardAddress(environment, 'requests'),
        'Requests',
        'every call, with the reason why it was answered so',
      ],
      [
        dashboardAddress(environment, 'mail'),
        'Mail',
        'invitations, codes and links that would have been sent',
      ],
      [
        dashboardAddress(environment, 'webhooks'),
        'Webhooks',
        'what was sent to your receivers, and their replies',
      ],
      [dashboardAddress(environment, 'state'), 'State', 'every row of the environment'],
      [dashboardAddress(environment, 'scenarios'), 'Scenarios', 'failures and states that can be loaded'],
      [dashboardAddress(environment, 'clock'), 'Clock', 'advance the time, and see what is due'],
    ]),
  },
  { heading: 'Try a sign-in', content: signIn === undefined ? NO_SIGN_IN : signInSection(signIn) },
  { heading: 'Documents', content: documentLinks(environment) },
];

const documentLinks = (environment: string): Html =>
  links([
    ['/_control/docs/', 'Docs', 'how to start, test, and make calls fail'],
    [
      dashboardAddress(environment, 'reference'),
      'API reference',
      'every operation, with examples and a form to try it',
    ],
    ['/openapi.json', 'OpenAPI document of the service', 'every call is checked against it'],
    [
      '/_control/v1/openapi.json',
      'OpenAPI document of the control API',
      'time, state, scenarios, environments',
    ],
    ['/.well-known/openid-configuration', 'Discovery', 'for OpenID Connect clients'],
  ]);

const signInSection = (signIn: string): Html =>
  html`<p class="faint">The same sign-in as from your application. The last page shows the code.</p>
    <p class="side-by-side">
      <a class="button" href="${signIn}">Sign in</a>
      <a class="button quiet" href="${signIn}&amp;prompt=create">Sign up</a>
    </p>`;

const NO_SIGN_IN = html`<p class="faint">
  The environment’s client has its own redirect URIs: start a sign-in in your application.
</p>`;

const links = (rows: readonly (readonly [href: string, name: string, what: string])[]): Html =>
  html`<ul class="plain links">
    ${rows.map(([href, name, what]) => html`<li><a href="${href}">${name}</a> <span class="faint">${what}</span></li>`)}
  </ul>`;

interface SignInReturn {
  code?: string | undefined;
  state?: string | undefined;
  error?: string | undefined;
  error_description?: string | undefined;
  client_id: string;
  redirect_uri: string;
  baseUrl: string;
}

/** What a sign-in returns to an application: a code or an error. */
const signedInContent = (given: SignInReturn): PageContent => ({
  title: given.error ? 'Not signed in' : 'Signed in',
  wide: true,
  body: html`<section class="card">
      <h1>${given.error ? 'Not signed in' : 'This is where your application takes over'}</h1>
      ${given.error ? failed(given) : given.code ? succeeded(given, given.code) : NOTHING}
    </section>
    <p class="faint below"><a href="/">Front page</a></p>`,
});

const NOTHING = html`<p class="faint">A sign-in from the front page ends here.</p>`;

const failed = ({ error = '', error_description = 'No description was given.' }: SignInReturn): Html =>
  html`<p class="faint">The application gets an error instead of a code.</p>
    ${alert('bad', html`<strong>${error}</strong>: ${error_description}`)}`;

function succeeded({ state = '', client_id, redirect_uri, baseUrl }: SignInReturn, code: string): Html {
  const call = [
    `curl ${baseUrl}/oauth/token -d grant_type=authorization_code`,
    `-d code=${code}`,
    `-d redirect_uri=${redirect_uri}`,
    `-d client_id=${client_id} -d client_secret=…`,
  ];
  return html`<p class="faint">
      The browser came back to the <code>redirect_uri</code> with a code, which is valid once and for ten
      minutes.
    </p>
    <dl>
      <dt>code</dt>
      <dd><code>${code}</code></dd>
      <dt>state</dt>
      <dd><code>${state}</code></dd>
    </dl>
    <h2>Exchange it</h2>
    <pre tabindex="0">${call.join(' \\\n  ')}</pre>`;
}
