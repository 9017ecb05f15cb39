import { html, type Html } from './html.ts';
import type { Sheet } from './page.ts';

interface Front {
  environment: string;
  baseUrl: string;
  /** Where a sign-in begins that ends at a page of ours; undefined: the client's addresses don't allow it. */
  signIn: string | undefined;
}

/** What a person sees who opens the address of the service: what it is, and where to go from here. */
export const frontSheet = (front: Front): Sheet => ({
  title: 'Understudy',
  wide: true,
  body: html`<header class="front">
      <h1>Understudy</h1>
      <p class="faint">
        A stand-in for an identity and connected-accounts API. It is running at <code>${front.baseUrl}</code>,
        and this is its environment <strong>${front.environment}</strong>.
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

const sections = ({ environment, signIn }: Front) => [
  { heading: 'Try a sign-in', content: signIn === undefined ? NO_SIGN_IN : tries(signIn) },
  {
    heading: 'Look inside',
    content: inside(environment),
  },
  {
    heading: 'Documents',
    content: links([
      ['/openapi.json', 'The service', 'OpenAPI 3.1: every call is checked against it'],
      ['/_control/v1/openapi.json', 'Control API', 'time, state, scenarios, environments'],
      ['/.well-known/openid-configuration', 'Discovery', 'for OpenID Connect clients'],
      ['/_control/v1/health', 'Health', 'version, and whether it is ready'],
    ]),
  },
];

const inside = (environment: string): Html =>
  links([
    [
      control(environment, 'mail?format=html'),
      'Mails',
      'invitations, codes and links that would have been sent',
    ],
    [
      control(environment, 'requests?limit=20'),
      'Journal',
      'the latest calls, each with why it was answered so',
    ],
    [
      control(environment, 'webhooks/deliveries?limit=20'),
      'Webhooks',
      'what was sent to your receivers, and what they answered',
    ],
    [control(environment, 'state'), 'State', 'every row of the environment'],
    [control(environment, 'scenarios'), 'Scenarios', 'failures and states that can be loaded'],
    ['/_control/v1/coverage?format=html', 'Coverage', 'what of the contract your suites have seen'],
  ]);

const control = (environment: string, what: string) =>
  environment === 'default' ? `/_control/v1/${what}` : `/_control/v1/environments/${environment}/${what}`;

const tries = (signIn: string): Html =>
  html`<p class="faint">As an application of yours would begin it. It ends at a page that shows the code.</p>
    <p class="side-by-side">
      <a class="button" href="${signIn}">Sign in</a>
      <a class="button quiet" href="${signIn}&amp;prompt=create">Sign up</a>
    </p>`;

const NO_SIGN_IN = html`<p class="faint">
  The environment’s client has addresses of its own to return to: begin a sign-in in your application.
</p>`;

const links = (rows: readonly (readonly [href: string, name: string, what: string])[]): Html =>
  html`<ul class="plain links">
    ${rows.map(([href, name, what]) => html`<li><a href="${href}">${name}</a> <span class="faint">${what}</span></li>`)}
  </ul>`;
