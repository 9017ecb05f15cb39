import type { Entry } from './entry.ts';
import { viewEntry } from './entry-view.ts';
import { Redaction } from './redaction.ts';
import type { Log, LogFields } from '@understudy/text/log';
import { ApiError } from '../contract/errors.ts';
import { StoreError } from '../store/change-log.ts';

const LONGEST_PATH = 300;
const LONGEST_REASON = 2000;

/** A long path segment that is neither an id nor a UUID may be a secret link. */
const LINK = /\/(?!(?:[a-z_]+_\d+|[0-9a-f]{8}-[0-9a-f-]{27})(?:\/|$))(?=[^/]*\d)[\w.~-]{24,}(?=\/|$)/gi;
const UNPRINTABLE = /[^\x20-\x7e]/g;

/** Called with every complete call. */
export type OnCalled = (entry: Entry, environment: string) => void;

/** Why a call failed; undefined for others. */
type WhyOf = (entry: Entry, environment: string) => object | undefined;

/** Logs a line for each call and, at `debug`, the reasons for the answer. Undefined if the log takes neither. */
export function callLog(log: Log, whyOf: WhyOf): OnCalled | undefined {
  if (!log.tells('info')) return undefined;
  return (entry, environment) => {
    log.info(lineOf(entry, environment), fieldsOf(entry, environment));
    if (!log.tells('debug')) return;
    const fields = { environment, request_id: entry.id };
    const why = whyOf(entry, environment);
    for (const reason of reasonsFor(entry, { environment, why })) log.debug(`${entry.id} ${reason}`, fields);
  };
}

function lineOf(entry: Entry, environment: string): string {
  const { id, method, path, status = '-', operation = '-', duration } = entry;
  const expected = entry.expected ? ' (the SDK gets a token after this)' : '';
  return `${method} ${shownPath(path)} ${status} ${operation} ${duration} ms ${environment} ${id}${expected}`;
}

function fieldsOf(entry: Entry, environment: string): LogFields {
  const { id, method, path, status, operation, duration, expected } = entry;
  const answer = { status, operation, duration_ms: duration, expected };
  return { method, path: shownPath(path), ...answer, environment, request_id: id };
}

/** The path without secrets. */
export function shownPath(path: string): string {
  const shown = redaction.text(path).replace(LINK, '/[redacted]').replace(UNPRINTABLE, '?');
  return shown.length > LONGEST_PATH ? `${shown.slice(0, LONGEST_PATH)}...` : shown;
}

const redaction = new Redaction();

interface View {
  validation: { violations: unknown[]; unknown: unknown[]; response?: string };
  scenario: { considered: unknown[] };
  why?: { summary: string };
  fault?: object;
  interceptors?: unknown[];
  error?: string;
}

/** As in the journal, always redacted. */
function reasonsFor(entry: Entry, explained: { environment: string; why: object | undefined }): string[] {
  const view = viewEntry(entry, { ...explained, redact: true }) as unknown as View;
  const { validation, scenario, fault, interceptors, error, why } = view;
  const reasons = {
    why: why?.summary,
    violations: validation.violations,
    'unknown fields': validation.unknown,
    'breaks the contract': validation.response,
    rules: scenario.considered.length > 0 ? scenario : undefined,
    fault,
    interceptors,
    cause: error,
  };
  return Object.entries(reasons)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}: ${JSON.stringify(value).slice(0, LONGEST_REASON)}`);
}

/** Logs the cause of an internal error, which the caller must not see. */
export function reporter(log: Log) {
  return (what: string, cause: unknown) => log.error(`${what}: ${described(cause)}`);
}

/** Errors of the disk are not bugs, so their stack is not logged. */
function described(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause instanceof StoreError || cause instanceof ApiError
    ? cause.message
    : (cause.stack ?? cause.message);
}
