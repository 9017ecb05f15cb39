import type { ControlOutput } from '../contract/types.ts';
import type { ActivityItem } from '../environment/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../environment/journal/entry.ts';
import type { Journal } from '../environment/journal/journal.ts';
import { ApiError } from '../errors.ts';
import { DEFAULT_WAIT } from '../text/duration.ts';
import { unknownName, EvidenceError, type ControlOperations } from './handler.ts';
import { checksOf, nearestOf, passesAll, testOf, type EntryTest } from './request-match.ts';
import { gatherMatches, readTimeout } from './waiting.ts';

type EntryView = ControlOutput<'Control_GetRequest'>;

export const requests = {
  Control_ListRequests({ query }, { environment, simulator }) {
    const { since, before, limit = 100, ...match } = query;
    const entries = entriesBetween(environment, since, before).filter(testOf(match, simulator.contract));
    return { requests: entries.slice(-limit).map((entry) => viewOf(entry, environment)) };
  },

  async Control_WaitForRequests({ query }, { environment, simulator, signal }) {
    const { since, count = 1, timeout, ...match } = query;
    const milliseconds = readTimeout(timeout);
    const checks = checksOf(match, simulator.contract);
    const test = closed((entry) => passesAll(entry, checks));
    const found = entriesBetween(environment, since).filter(test);
    const take = (item: ActivityItem) =>
      item.kind === 'request' && test(item.entry) ? item.entry : undefined;
    const entries = await gatherMatches(environment, {
      found,
      count,
      take,
      part: 'requests',
      milliseconds,
      signal,
    });
    const seen = entries.map((entry) => viewOf(entry, environment));
    if (seen.length >= count) return { requests: seen };
    const others = environment.journal.list(since).filter((entry) => entry.isClosed && !test(entry));
    throw new EvidenceError('deadline_exceeded', tooFew(seen.length, count, timeout), {
      count: seen.length,
      requests: seen,
      nearest: nearestOf(others, checks, environment.journal.redacts),
    });
  },

  Control_GetRequest({ path }, { environment }) {
    const entry = environment.journal.find(path.id);
    if (!entry) throw unknownRequest(path.id, environment);
    return viewOf(entry, environment);
  },

  Control_ClearRequests(_, { environment }) {
    environment.journal.clear();
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/**
 * Oldest first, including unanswered calls. Throws `not_found` if the journal does not have the named entry
 * or has dropped entries of the range.
 */
export function entriesBetween({ journal }: Environment, since?: string, before?: string): Entry[] {
  for (const id of [since, before])
    if (id !== undefined && !journal.hasSeen(id)) throw unknownRequest(id, { journal });
  if (since !== undefined && !journal.hasAllSince(since)) throw droppedRequest('since', since, journal);
  if (before !== undefined && !journal.find(before)) throw droppedRequest('before', before, journal);
  return journal.list(since, before);
}

const closed =
  (test: EntryTest): EntryTest =>
  (entry) =>
    entry.isClosed && test(entry);

/** The journal's view is validated against the document like every reply. */
const viewOf = (entry: Entry, { journal }: Environment) => journal.view(entry) as EntryView;

const tooFew = (seen: number, count: number, timeout = DEFAULT_WAIT) =>
  `after ${timeout}, ${seen} of ${count} calls had come`;

function droppedRequest(parameter: string, id: string, journal: Journal): ApiError {
  const [oldest] = journal.list();
  const kept = oldest ? `the oldest that is kept is ${oldest.id}` : 'none is kept now';
  const message = `${parameter}: the journal keeps request ${id} no more, ${kept} (--journal-entries, --journal-bytes)`;
  return new ApiError('not_found', message);
}

const unknownRequest = (id: string, { journal }: Pick<Environment, 'journal'>) =>
  unknownName(
    'request',
    id,
    journal.list().map((entry) => entry.id),
  );
