import { html, raw, type Fragment } from './html.ts';

/** Longer words may not fit into one line of a phone. */
const LONG_WORD = /\S{25}/;

/** An e-mail address; long ones break before `@` and `.` where the line is too narrow. */
export function breakable(address: string): Fragment {
  if (!LONG_WORD.test(address)) return address;
  return address
    .split(/(?=[@.])/)
    .map((piece, index) => (index === 0 ? piece : html`${raw('<wbr />')}${piece}`));
}

/** A page of the dashboard, such as `request` and the id of a journal entry. */
export const dashboardAddress = (environment: string, ...steps: string[]): string =>
  `/_control/#/${[environment, ...steps].map(encodeURIComponent).join('/')}`;
