import type { ApiError } from '../errors.ts';
import { dashboardAddress, html } from './html.ts';
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
  const title = error.parts.title ?? TITLES[error.status] ?? 'Something went wrong';
  const { violations = [] } = error.parts;
  const body = html`<section class="card">
    <h1>${title}</h1>
    <p class="alert bad" role="alert">${sentence(error.message)}</p>
    ${
      violations.length > 0 &&
      html`<ul>
        ${violations.map(({ field, description }) => html`<li><code>${field}</code> ${description}</li>`)}
      </ul>`
    }
    <p class="faint">Status ${error.status}. Go back to where you came from and try again.</p>
    <p class="faint">
      <a href="${dashboardAddress(environment, 'request', id)}">Why this happened</a> ·
      <a href="/">Front page</a>
    </p>
  </section>`;
  return render({ title, body });
}
