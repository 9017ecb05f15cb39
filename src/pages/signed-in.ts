import { html, type Html } from './html.ts';
import type { Sheet } from './page.ts';
import { alert } from './parts.ts';

interface Return {
  code?: string | undefined;
  state?: string | undefined;
  error?: string | undefined;
  error_description?: string | undefined;
  client_id: string;
  redirect_uri: string;
  baseUrl: string;
}

/** What a sign-in brings to an application: a code, or an error. */
export const signedInSheet = (given: Return): Sheet => ({
  title: given.error ? 'Not signed in' : 'Signed in',
  wide: true,
  body: html`<section class="card">
      <h1>${given.error ? 'Not signed in' : 'This is where your application takes over'}</h1>
      ${given.error ? failed(given) : given.code ? succeeded(given, given.code) : NOTHING}
    </section>
    <p class="faint below"><a href="/">Front page</a></p>`,
});

const NOTHING = html`<p class="faint">A sign-in that begins on the front page ends here.</p>`;

const failed = ({ error = '', error_description = 'No description came with it.' }: Return): Html =>
  html`<p class="faint">The application gets an error instead of a code.</p>
    ${alert('bad', html`<strong>${error}</strong>: ${error_description}`)}`;

function succeeded({ state = '', client_id, redirect_uri, baseUrl }: Return, code: string): Html {
  const call = [
    `curl ${baseUrl}/oauth/token -d grant_type=authorization_code`,
    `-d code=${code}`,
    `-d redirect_uri=${redirect_uri}`,
    `-d client_id=${client_id} -d client_secret=…`,
  ];
  return html`<p class="faint">
      The browser came back to the <code>redirect_uri</code> with a code, good once and for ten minutes.
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
