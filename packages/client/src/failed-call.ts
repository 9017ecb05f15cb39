import type { JournalEntry } from './types.ts';
import { given, beginningOf } from '@understudy/text/json';

/** Why the call was answered as it was: the message, violations, scenario rules and interceptors. */
export function reasonsOf(entry: JournalEntry): string[] {
  if (entry.why) return [entry.why.summary, ...entry.why.because.map(({ text }) => text)];
  const { status = 0, response, validation, scenario, error } = entry;
  const { message, error_description = message } = (response.body ?? {}) as Record<string, unknown>;
  const { violations, unknown } = validation;
  return [
    // A scenario or a third party may answer with another form.
    ...(status >= 400 && typeof error_description === 'string' ? [error_description] : []),
    ...violations.map(({ field, description }) => `${String(field)}: ${String(description)}`),
    ...unknown.map((field) => `${field}: the contract has no such field`),
    ...scenario.considered.map(
      ({ scenario: name, rule, applied, reason }) =>
        `scenario ${name}, rules[${rule}]: ${applied ? 'applied' : reason}`,
    ),
    ...(error === undefined ? [] : [error]),
  ];
}

interface Outcome {
  status?: number | undefined;
  expected?: JournalEntry['expected'] | undefined;
  /** 0 while the call is under way. */
  duration_ms: number;
}

/** Whether the call was refused, failed or ended without an answer, and its caller did not count on that. */
export const hasFailed = ({ status, expected, duration_ms }: Outcome): boolean =>
  expected === undefined && (status === undefined ? duration_ms > 0 : status >= 400);

/** A call that was refused or failed, or that got no answer. */
export interface FailedCall extends Pick<JournalEntry, 'id' | 'environment' | 'method' | 'path'> {
  operation?: string;
  /** Undefined: no answer was sent. */
  status?: number;
  reasons: string[];
}

/** The most failed calls that a summary shows. */
export const MAX_FAILED = 200;
const LONGEST = 300;
/** So that a summary of calls with many reasons has room on the page of a job. */
const MOST_REASONS = 10;

const clipped = (text: string) => (text.length > LONGEST ? `${beginningOf(text, LONGEST)}…` : text);

function clippedList(reasons: readonly string[]): string[] {
  const shown = reasons.slice(0, MOST_REASONS).map(clipped);
  return reasons.length > MOST_REASONS ? [...shown, `and ${reasons.length - MOST_REASONS} more`] : shown;
}

function failedCallOf(entry: JournalEntry): FailedCall {
  const { id, environment, method, path, operation, status } = entry;
  return {
    id,
    environment,
    method,
    path: clipped(path),
    ...given({ operation, status }),
    reasons: clippedList([...new Set(reasonsOf(entry))]),
  };
}

/** How many calls of a run failed, and the first of them. */
export interface CallOutcomes {
  failed: number;
  /** First calls of the SDK for Node without a token. They were refused, and are no failures. */
  withoutToken: number;
  failures: readonly FailedCall[];
}

/** Counts the calls that failed. */
export class OutcomeTally implements CallOutcomes {
  failed = 0;
  withoutToken = 0;
  readonly failures: FailedCall[] = [];

  /** `view` is called for a call that is kept. */
  add(call: Outcome, view: () => JournalEntry): void {
    if (call.expected !== undefined) this.withoutToken += 1;
    else if (hasFailed(call)) {
      this.failed += 1;
      if (this.failures.length < MAX_FAILED) this.failures.push(failedCallOf(view()));
    }
  }

  /** What is stored of it. */
  list(): CallOutcomes {
    return { failed: this.failed, withoutToken: this.withoutToken, failures: this.failures };
  }
}
