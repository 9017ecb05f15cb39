import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Contract } from '../contract/contract.ts';
import type { ControlOutput } from '../contract/types.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { ApiError, invalidArgument } from '../contract/errors.ts';
import type { CallFacts } from '../scenarios/call-facts.ts';
import { ScenarioError } from '../scenarios/complaints.ts';
import type { Condition, Requirement } from '../scenarios/condition.ts';
import type { ScenarioCatalog } from '../scenarios/library.ts';
import { MAX_STEPS, runInTurns, StepBudget, type Steps } from '../scenarios/steps.ts';
import { DEFAULT_WAIT } from '@understudy/text/duration';
import { EvidenceError, type ControlOperations } from './handler.ts';
import { ItemList } from './item-list.ts';
import { Redaction } from '../journal/redaction.ts';
import { checksOf, passesAll, type Check, type RequestMatch } from './request-checks.ts';
import { searchRequests } from './request-search.ts';
import { summaryOf } from './request-summary.ts';
import { uptime } from '../state/clock.ts';
import { given, isObject } from '@understudy/text/json';
import type { Place } from '../why/answer.ts';
import { withHiddenRows } from '../why/empty-list.ts';
import { History } from '../why/history.ts';
import { explain } from '../why/why.ts';

type EntryView = ControlOutput<'Control_GetRequest'>;

export const REQUESTS = new ItemList<Entry>({
  noun: 'request',
  source: ({ journal }) => journal,
  changedIn: (activity) => (activity.kind === 'request' ? [activity.entry] : []),
  part: 'requests',
  after: entriesSince,
});

export const requests = {
  async Control_ListRequests({ query }, { environment, simulator, signal }) {
    const { since, before, limit = 100, contains, sort, reverse, summary, why, ...match } = query;
    const checks = checksOf(match, simulator.contract);
    const end = before === undefined ? Infinity : requestNamed(environment, 'before', before).number;
    const entries = REQUESTS.after(environment, since);
    const { found, matching } = await searchRequests(entries, {
      isWanted: (entry) => entry.number < end && passesAll(entry, checks),
      contains,
      order: sort && { by: sort, isReversed: reverse ?? false },
      limit,
      redacts: environment.journal.redacts,
      signal,
    });
    const place = { environment, ...simulator };
    const requests = why
      ? await explainedViews(found, place, signal)
      : found.map((entry) => viewOf(entry, environment));
    const counts = { total: matching.length, kept: environment.journal.count };
    return { requests, ...counts, ...(summary && { summary: await summaryOf(matching, signal) }) };
  },

  async Control_WaitForRequests({ query }, context) {
    const { since, count = 1, timeout, ...match } = query;
    const { environment, simulator } = context;
    const checks = checksOf(match, simulator.contract);
    const isWanted = (entry: Entry) => entry.isClosed && passesAll(entry, checks);
    const entries = await REQUESTS.wait(context, { isWanted, since, count, timeout });
    const seen = entries.map((entry) => viewOf(entry, environment));
    if (seen.length >= count) return { requests: seen };
    const closed = environment.journal.list(since).filter(({ isClosed }) => isClosed);
    const { nearest } = await runInTurns(comparison(closed, checks));
    throw new EvidenceError('deadline_exceeded', tooFew(seen.length, count, timeout), {
      count: seen.length,
      requests: seen,
      nearest: nearest.map((miss) => view(miss, environment.journal.redacts)),
    });
  },

  async Control_GetRequest({ path }, { environment, simulator }) {
    const entry = REQUESTS.get(environment, path.id);
    const why = explain(entry, placeOf({ environment, ...simulator }));
    const whole = await withHiddenRows(why, entry, { environment, simulator });
    return environment.journal.view(entry, whole) as EntryView;
  },

  Control_ClearRequests(_, { environment }) {
    environment.journal.clear();
    return undefined;
  },

  async Control_VerifyRequests({ body }, { environment, simulator, scenarios }) {
    const { match, since, ...times } = body;
    const { isMet, expected } = countOf(times as CountLimits);
    const checks = await readMatch(match as VerifyMatch, simulator.contract, await scenarios());
    const entries = REQUESTS.after(environment, since).filter(({ isClosed }) => isClosed);
    const { matching, nearest } = await runInTurns(comparison(entries, checks));
    const count = matching.length;
    if (isMet(count)) return { count };
    const { redacts } = environment.journal;
    throw new EvidenceError('failed_precondition', `expected ${expected}, saw ${count}`, {
      count,
      expected: times.times === undefined && Object.keys(times).length === 0 ? { at_least: 1 } : times,
      matching: matching.slice(-MOST_MATCHING).map(({ id }) => id),
      nearest: nearest.map((miss) => view(miss, redacts)),
    });
  },
} satisfies Partial<ControlOperations>;

/** Throws `not_found` if the journal has dropped entries after the named one. */
function entriesSince(environment: Environment, since: string): Entry[] {
  const { journal } = environment;
  if (!journal.hasSeen(since)) throw REQUESTS.unknown(environment, since);
  if (!journal.hasAllSince(since)) throw droppedRequest('since', since, journal);
  return journal.list(since);
}

/** Throws `not_found` for a request that the journal never had, or has no longer. */
export function requestNamed(environment: Environment, parameter: string, id: string): Entry {
  const { journal } = environment;
  if (!journal.hasSeen(id)) throw REQUESTS.unknown(environment, id);
  const entry = journal.find(id);
  if (!entry) throw droppedRequest(parameter, id, journal);
  return entry;
}

export const placeOf = (place: Omit<Place, 'history'>): Place => ({
  ...place,
  history: new History(() => place.environment.journal.list()),
});

const explainedView = (entry: Entry, place: Place) =>
  place.environment.journal.view(entry, explain(entry, place)) as EntryView;

/** Milliseconds of explaining, after which other calls are served. */
const TURN = 5;

async function explainedViews(entries: readonly Entry[], known: Omit<Place, 'history'>, signal: AbortSignal) {
  const place = placeOf(known);
  const views: EntryView[] = [];
  let begun = uptime();
  for (const entry of entries) {
    views.push(explainedView(entry, place));
    if (uptime() - begun < TURN) continue;
    await nextTurn();
    if (signal.aborted) break;
    begun = uptime();
  }
  return views;
}

/** The journal's view is validated against the document like every reply. */
const viewOf = (entry: Entry, { journal }: Environment) => journal.view(entry) as EntryView;

const tooFew = (seen: number, count: number, timeout = DEFAULT_WAIT) =>
  `after ${timeout}, ${seen} of ${count} calls had come`;

function droppedRequest(parameter: string, id: string, journal: Journal): ApiError {
  const [oldest] = journal.list();
  const kept = oldest ? `the oldest request that it has is ${oldest.id}` : 'it has none now';
  const message = `${parameter}: the journal no longer has request ${id}: ${kept} (--journal-entries, --journal-bytes)`;
  return new ApiError('not_found', message);
}

/** The conditions of a scenario's `when`, and the fields of `RequestMatch`. */
interface VerifyMatch extends Omit<RequestMatch, 'protocol' | 'caller'>, Omit<Condition, 'path'> {}

const MOST_MATCHING = 10;

async function readMatch(
  match: VerifyMatch,
  contract: Contract,
  { reader }: ScenarioCatalog,
): Promise<Check[]> {
  const { operation, method, path, status, ...when } = match;
  const checks = checksOf({ operation, method, path, status } as RequestMatch, contract);
  if (Object.keys(when).length === 0) return checks;
  const on = operation ?? '*';
  const rules = [{ on, when, fault: { delay: '0ms' } }];
  try {
    const scenario = await reader.readInTurns(JSON.stringify({ name: 'match', rules }), 'match');
    return [...checks, ...scenario.rules[0]!.requirements.map((demand) => checkOf(demand, contract))];
  } catch (thrown) {
    throw thrown instanceof ScenarioError ? invalidArgument(complaintsOf(thrown)) : thrown;
  }
}

/** The match was wrapped in a scenario, whose positions mean nothing to the caller. */
const complaintsOf = ({ complaints, more }: ScenarioError) =>
  [
    ...complaints.map(({ path, message }) => `${path.replace(/^rules\[0\]\.when/, 'match')}: ${message}`),
    ...more,
  ].join('\n');

const checkOf = ({ at, wanted, read, test }: Requirement, contract: Contract): Check => ({
  at: at.slice(1).map(String),
  wanted,
  look: (entry) => read(factsOf(entry, contract)),
  test,
});

/** The values that a condition can read. Path parameters come from the path itself. */
const factsOf = (
  { operation, binding, protocol, method, path, query, headers, body }: Entry,
  contract: Contract,
) =>
  ({
    operation: contract.operation(binding ?? operation ?? ''),
    protocol,
    method,
    path,
    params: {},
    query,
    headers,
    body,
    caller: undefined,
  }) as unknown as CallFacts;

/** The expected number of calls; at least one if nothing is given. */
interface CountLimits {
  times?: number;
  at_least?: number;
  at_most?: number;
}

/** Throws `invalid_argument` if no count can satisfy the limits. */
function countOf({ times, at_least, at_most }: CountLimits): {
  isMet: (count: number) => boolean;
  expected: string;
} {
  if (times !== undefined && (at_least !== undefined || at_most !== undefined))
    throw invalidArgument('times cannot be combined with at_least or at_most');
  const least = times ?? at_least ?? (at_most === undefined ? 1 : 0);
  const most = times ?? at_most ?? Infinity;
  if (least > most) throw invalidArgument(`at_least: ${least} is more than at_most: ${most}`);
  return { isMet: (count) => count >= least && count <= most, expected: wordsOf(least, most) };
}

function wordsOf(least: number, most: number): string {
  if (least === most) return `exactly ${callsThat(least)}`;
  if (most === Infinity) return `at least ${callsThat(least)}`;
  return least === 0 ? `at most ${callsThat(most)}` : `${least} to ${callsThat(most)}`;
}

const callsThat = (count: number) => `${count} ${count === 1 ? 'call that matches' : 'calls that match'}`;

interface NearMiss {
  id: string;
  method: string;
  path: string;
  operation?: string;
  status?: number;
  differences: { field: string; expected: unknown; actual?: unknown }[];
}

const MOST_SHOWN = 3;

interface Miss {
  entry: Entry;
  failed: readonly Check[];
}

/**
 * The calls that match, and those that differ in the fewest fields, the latest first. Other calls are served in between.
 * Throws `invalid_argument` if a call takes more steps than the conditions of one call may.
 */
function* comparison(
  entries: readonly Entry[],
  checks: readonly Check[],
): Steps<{ matching: Entry[]; nearest: Miss[] }> {
  const matching: Entry[] = [];
  let nearest: Miss[] = [];
  for (const entry of entries) {
    const work = new StepBudget();
    const failed = checks.filter(({ look, test }) => !test(look(entry), work));
    if (work.isSpent)
      throw invalidArgument(
        `match: the texts of request ${entry.id} are too long for the expressions: comparing them takes over ${MAX_STEPS} steps`,
      );
    if (failed.length === 0) matching.push(entry);
    else if (failed.length < checks.length || checks.length === 1)
      nearest = [{ entry, failed }, ...nearest].toSorted(byDifference).slice(0, MOST_SHOWN);
    yield;
  }
  return { matching, nearest };
}

const byDifference = (a: Miss, b: Miss) =>
  differenceOf(a.failed) - differenceOf(b.failed) || b.entry.number - a.entry.number;

/** Another operation counts as the largest difference. */
const differenceOf = (failed: readonly Check[]) =>
  failed.reduce((sum, { at }) => sum + (at[0] === 'operation' || at[0] === 'path' ? 3 : 1), 0);

function view({ entry, failed }: Miss, redact: boolean): NearMiss {
  const { id, method, path, operation, status, headers, query, body } = entry;
  const redaction = redact ? new Redaction({ headers, query, body }) : undefined;
  const differences = failed.map(({ at, wanted, look }) => {
    const actual = look(entry);
    return {
      field: at.join('.'),
      expected: redactValue(at, wanted, redaction),
      ...(actual !== undefined && { actual: redactValue(at, actual, redaction) }),
    };
  });
  return {
    id,
    method,
    path: redaction?.text(path) ?? path,
    ...given({ operation, status }),
    differences,
  };
}

/** Field names on the path decide whether the value is secret. */
function redactValue(at: readonly string[], value: unknown, redaction: Redaction | undefined): unknown {
  if (!redaction) return value;
  const whole = at.slice(1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return at
    .slice(1)
    .reduce<unknown>(
      (outer, name) => (isObject(outer) && Object.hasOwn(outer, name) ? outer[name] : outer),
      redaction.value(whole),
    );
}
