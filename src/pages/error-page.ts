import type { ApiError } from '../contract/errors.ts';
import { dashboardAddress, html, type Html } from './html.ts';
import { render, type RenderedPage } from './page.ts';
import { sentence } from './controls.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This request cannot be served',
  401: 'Sign in first',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not found',
  409: 'That is taken already',
  410: 'This link is no longer valid',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
  504: 'That took too long',
};

/** The call that failed. */
export interface FailedCall {
  environment: string;
  /** The id of its journal entry. */
  id: string;
}

/** The error page for browsers. */
export function errorPage(error: ApiError, { environment, id }: FailedCall): RenderedPage {
  const title = titleOf(error);
  const body = html`<section class="card">
    <h1>${title}</h1>
    ${reasonOf(error)}
    <p class="faint">Status ${error.status}. Go back to where you came from and try again.</p>
    <p class="faint">
      <a href="${dashboardAddress(environment, 'request', id)}">Why this happened</a> ·
      <a href="/">Front page</a>
    </p>
  </section>`;
  return render({ title, body });
}

const titleOf = ({ status, parts }: ApiError) => parts.title ?? TITLES[status] ?? 'Something went wrong';

const reasonOf = ({ message, parts: { violations = [] } }: ApiError): Html =>
  html`<p class="alert bad" role="alert">${sentence(message)}</p>
    ${
      violations.length > 0 &&
      html`<ul>
        ${violations.map(({ field, description }) => html`<li><code>${field}</code> ${description}</li>`)}
      </ul>`
    }`;

/** A page of the control API that was asked for. */
interface ControlPage {
  environment: string;
  /** The whole address. */
  address: string;
  hasToken: boolean;
  /** The page of the dashboard that shows the same. */
  dashboardPage: string;
}

/** The error page of the control API for browsers. */
export const controlErrorPage = (error: ApiError, { environment, ...page }: ControlPage): RenderedPage =>
  error.status === 401
    ? lockedPage(environment, page)
    : render({
        title: titleOf(error),
        body: html`<section class="card">
          <h1>${titleOf(error)}</h1>
          ${reasonOf(error)}
          <p><a href="${dashboardAddress('default', 'environments')}">See the environments</a></p>
        </section>`,
      });

function lockedPage(
  environment: string,
  { address, hasToken, dashboardPage }: Omit<ControlPage, 'environment'>,
): RenderedPage {
  const title = 'This page needs the control token';
  const reason = hasToken
    ? 'The request has another token than the server.'
    : 'The server was started with UNDERSTUDY_CONTROL_TOKEN, and the request has no token.';
  const call = `curl -H "authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN" '${address.replaceAll("'", '%27')}'`;
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p class="alert bad" role="alert">${reason}</p>
    <p>
      A browser cannot send the token with an address. The dashboard asks for the token, and then shows the
      same.
    </p>
    <p>
      <a class="button" href="${dashboardAddress(environment, dashboardPage)}">Open it in the dashboard</a>
    </p>
    <p>A program sends the token in a header:</p>
    <pre>${call}</pre>
  </section>`;
  return render({ title, body });
}
