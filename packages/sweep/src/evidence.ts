import { canonicalText, isObject } from '@understudy/text/json';
import { tokenIn, type SeenCall, type TestRun } from './runs/seen.ts';

/** What the journal shows about a failure: the call that met it, and what followed. */
export interface Evidence {
  /** The first call that the failure changed. */
  met: SeenCall;
  /** The calls that began after the first one had its answer. */
  later: readonly SeenCall[];
  /** Those of the same operation. */
  again: readonly SeenCall[];
  /** Those with the same request. */
  repeats: readonly SeenCall[];
}

export function evidenceIn({ calls }: TestRun, rule: number): Evidence | undefined {
  const met = calls.find((call) => call.rule === rule);
  if (!met) return undefined;
  const later = calls.filter((call) => call !== met && call.start >= met.start);
  const again = later.filter(({ operation }) => operation === met.operation);
  const request = requestOf(met);
  return { met, later, again, repeats: again.filter((call) => requestOf(call) === request) };
}

const requestOf = ({ path, query, body }: SeenCall) => canonicalText([path, query, body ?? null]);

export const isRefused = ({ status }: SeenCall): boolean => status === undefined || status >= 400;

const created = ({ writes }: SeenCall) => writes.filter(({ kind }) => kind === 'created');

/** Methods that HTTP clients may repeat by themselves, because twice means the same as once (RFC 9110, 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['PUT', 'DELETE']);

/** A repeated call that created the same kind of row again. */
export function secondWrite({ met, repeats }: Evidence): SeenCall | undefined {
  if (IDEMPOTENT.has(met.method)) return undefined;
  const collections = new Set(created(met).map(({ collection }) => collection));
  return repeats.find((call) => created(call).some(({ collection }) => collections.has(collection)));
}

const CONFLICT = /duplicate|already|exists|taken/i;

/** A repeated call that was refused because the first one had been carried out. */
export const conflictIn = ({ repeats }: Evidence): SeenCall | undefined =>
  repeats.find(({ status = 0, answer }) => {
    const message = isObject(answer) ? String(answer['message']) : '';
    return status === 409 || (status === 400 && CONFLICT.test(message));
  });

/** A new token was fetched after the call, or the calls that follow have another one. */
export const hasNewToken = ({ met, later }: Evidence): boolean =>
  later.some((call) => tokenIn(call) !== undefined || (call.token !== undefined && call.token !== met.token));

/** The number of rows that the run has created. */
export const rowsCreated = ({ calls }: TestRun): number =>
  calls.reduce((sum, call) => sum + created(call).length, 0);

/** How often the run has written rows by these operations. */
export const writesOf = ({ calls }: TestRun, operation: string): number =>
  calls.filter((call) => call.operation === operation && !isRefused(call) && call.writes.length > 0).length;

/** Whether a run made the same calls as another one, with the same kind of answers. */
export function hasSameCalls(run: TestRun, other: TestRun): boolean {
  const text = ({ calls }: TestRun) =>
    calls.map(({ operation, status = 0 }) => `${operation} ${Math.floor(status / 100)}`).join('\n');
  return text(run) === text(other);
}

/** Milliseconds between the answer and the next call of the operation. */
export const pauseBefore = ({ met, again: [next] }: Evidence): number | undefined =>
  next && Math.max(0, next.start - met.end);
