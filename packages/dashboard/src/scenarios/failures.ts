import { signal } from '@preact/signals';

/** What the dialog "Fail the next call" is open for; undefined: it is closed. `operation` is absent until one is chosen. */
export const failing = signal<{ operation?: string | undefined } | undefined>(undefined);

export const failNext = (operation?: string): void => {
  failing.value = { operation };
};

/** Something that can go wrong, with the field that it has. */
interface Failure {
  title: string;
  /** The name of the number that it takes, with the usual one. */
  number?: readonly [label: string, usual: number];
  /** The part of a rule. */
  rule: (number: number) => object;
}

const reply = (error: string, message?: string) => () => ({
  reply: { error, ...(message !== undefined && { message }) },
});

/** By the name in the form. The first is chosen until another is. */
export const FAILURES: Readonly<Record<string, Failure>> = {
  unavailable: { title: '503: the service is not available', rule: reply('unavailable') },
  internal: { title: '500: the service is broken', rule: reply('internal') },
  limited: {
    title: '429: too many calls',
    number: ['Seconds to wait', 2],
    rule: (seconds) => ({ reply: { error: 'rate_limited', headers: { 'retry-after': String(seconds) } } }),
  },
  late: { title: '504: the answer took too long', rule: reply('deadline_exceeded') },
  expired: { title: '401: the token is expired', rule: reply('unauthenticated', 'token is expired') },
  denied: { title: '403: the caller may not do this', rule: reply('permission_denied') },
  missing: { title: '404: the resource does not exist', rule: reply('not_found') },
  exists: { title: '409: the resource exists already', rule: reply('already_exists') },
  invalid: { title: '400: the request breaks a rule', rule: reply('invalid_argument') },
  unimplemented: { title: '501: the operation is not built', rule: reply('unimplemented') },
  status: {
    title: 'Another status',
    number: ['Status', 502],
    rule: (status) => ({ reply: { status, contract: 'violated' } }),
  },
  slow: {
    title: 'Slow: the answer is right, and late',
    number: ['Milliseconds', 3000],
    rule: (delay) => ({ fault: { delay: `${delay}ms` } }),
  },
  dropped: {
    title: 'Dropped: the connection closes before the answer',
    rule: () => ({ fault: { disconnect: 'before' } }),
  },
  cut: {
    title: 'Cut: the connection closes within the answer',
    rule: () => ({ fault: { disconnect: 'middle' } }),
  },
  lost: {
    title: 'Lost: the call takes effect, and the caller gets 503',
    rule: () => ({ fault: { lose: true } }),
  },
};

/** A scenario with one rule. A second one for the operation replaces the first. */
export const failureOf = (operation: string, rule: object, times: number | undefined) => ({
  name: `fail-${operation.replaceAll(/[^A-Za-z0-9]+/g, '-')}`,
  rules: [{ on: operation, ...(times !== undefined && { times }), ...rule }],
});
