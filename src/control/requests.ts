import type { ControlOutput } from '../contract/types.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../environment/journal/entry.ts';
import type { Journal } from '../environment/journal/journal.ts';
import { ApiError } from '../errors.ts';
import { DEFAULT_WAIT } from '../text/duration.ts';
import { EvidenceError, type ControlOperations } from './handler.ts';
import { ItemList } from './item-list.ts';
import { checksOf, nearestOf, passesAll, testOf } from './request-match.ts';

type EntryView = ControlOutput<'Control_GetRequest'>;

const REQUESTS = new ItemList<Entry>({
  noun: 'request',
  source: ({ journal }) => journal,
  changedIn: (activity) => (activity.kind === 'request' ? [activity.entry] : []),
  part: 'requests',
  after: entriesSince,
});

export const requests = {
  Control_ListRequests({ query }, { environment, simulator }) {
    const { since, before, limit = 100, ...match } = query;
    const test = testOf(match, simulator.contract);
    const end = before === undefined ? Infinity : entryBefore(environment, before).number;
    const isWanted = (entry: Entry) => entry.number < end && test(entry);
    const entries = REQUESTS.list(environment, { isWanted, since, limit });
    return { requests: entries.map((entry) => viewOf(entry, environment)) };
  },

  async Control_WaitForRequests({ query }, context) {
    const { since, count = 1, timeout, ...match } = query;
    const { environment, simulator } = context;
    const checks = checksOf(match, simulator.contract);
    const isWanted = (entry: Entry) => entry.isClosed && passesAll(entry, checks);
    const entries = await REQUESTS.wait(context, { isWanted, since, count, timeout });
    const seen = entries.map((entry) => viewOf(entry, environment));
    if (seen.length >= count) return { requests: seen };
    const others = environment.journal.list(since).filter((entry) => entry.isClosed && !isWanted(entry));
    throw new EvidenceError('deadline_exceeded', tooFew(seen.length, count, timeout), {
      count: seen.length,
      requests: seen,
      nearest: nearestOf(others, checks, environment.journal.redacts),
    });
  },

  Control_GetRequest({ path }, { environment }) {
    return viewOf(REQUESTS.get(environment, path.id), environment);
  },

  Control_ClearRequests(_, { environment }) {
    environment.journal.clear();
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/** Oldest first, including unanswered calls. */
export const entriesAfter = (environment: Environment, since: string | undefined) =>
  REQUESTS.after(environment, since);

/** Throws `not_found` if the journal has dropped entries after the named one. */
function entriesSince(environment: Environment, since: string): Entry[] {
  const { journal } = environment;
  if (!journal.hasSeen(since)) throw REQUESTS.unknown(environment, since);
  if (!journal.hasAllSince(since)) throw droppedRequest('since', since, journal);
  return journal.list(since);
}

function entryBefore(environment: Environment, before: string): Entry {
  const { journal } = environment;
  if (!journal.hasSeen(before)) throw REQUESTS.unknown(environment, before);
  const entry = journal.find(before);
  if (!entry) throw droppedRequest('before', before, journal);
  return entry;
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
