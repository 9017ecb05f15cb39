import { html, raw, type Fragment } from './html.ts';

/** Longer words may not fit into one line of a phone, or of a column. */
const LONG_WORD = /\S{20}/;

/** An e-mail address; a long one that does not fit into a line of its own breaks before `@` and `.`. */
export function breakable(address: string): Fragment {
  if (!LONG_WORD.test(address)) return address;
  const pieces = address
    .split(/(?=[@.])/)
    .map((piece, index) => (index === 0 ? piece : html`${raw('<wbr />')}${piece}`));
  return html`<span class="address">${pieces}</span>`;
}

/** A page of the dashboard, such as `request` and the id of a journal entry. */
export const dashboardAddress = (environment: string, ...steps: string[]): string =>
  `/_control/#/${[environment, ...steps].map(encodeURIComponent).join('/')}`;
