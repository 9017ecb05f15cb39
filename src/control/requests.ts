import type { ControlOutput } from '../contract/types.ts';
import type { Environment } from '../environments/environment.ts';
import type { Entry } from '../environments/entry.ts';
import type { NewsItem } from '../environments/news.ts';
import { USUAL_WAIT } from '../world/duration.ts';
import { absent } from './absent.ts';
import { EvidenceError } from './evidence-error.ts';
import type { ControlOperations } from './handler.ts';
import { nearestOf } from './near-misses.ts';
import { checksOf, passes, testOf, type Test } from './request-match.ts';
import { gather, readPatience } from './waiting.ts';

type EntryView = ControlOutput<'Control_GetRequest'>;

export const requests = {
  Control_ListRequests({ query }, { environment, simulator }) {
    const { since, limit = 100, ...match } = query;
    const entries = entriesSince(environment, since).filter(testOf(match, simulator.contract));
    return { requests: entries.slice(-limit).map((entry) => viewOf(entry, environment)) };
  },

  async Control_WaitForRequests({ query }, { environment, simulator, signal }) {
    const { since, count = 1, timeout, ...match } = query;
    const patience = readPatience(timeout);
    const checks = checksOf(match, simulator.contract);
    const test = closed((entry) => passes(entry, checks));
    const found = entriesSince(environment, since).filter(test);
    const take = (item: NewsItem) => (item.kind === 'request' && test(item.entry) ? item.entry : undefined);
    const entries = await gather(environment, { found, count, take, part: 'requests', patience, signal });
    const seen = entries.map((entry) => viewOf(entry, environment));
    if (seen.length >= count) return { requests: seen };
    const others = entriesSince(environment, since).filter((entry) => entry.isClosed && !test(entry));
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

/** Oldest first; those that are not answered yet too. */
export function entriesSince({ journal }: Environment, since: string | undefined): Entry[] {
  if (since !== undefined && !journal.knows(since)) throw unknownRequest(since, { journal });
  return journal.list(since);
}

const closed =
  (test: Test): Test =>
  (entry) =>
    entry.isClosed && test(entry);

/** The journal's own view is checked against the document like every answer. */
const viewOf = (entry: Entry, { journal }: Environment) => journal.view(entry) as EntryView;

const tooFew = (seen: number, count: number, timeout = USUAL_WAIT) =>
  `after ${timeout}, ${seen} of ${count} calls had come`;

const unknownRequest = (id: string, { journal }: Pick<Environment, 'journal'>) =>
  absent(
    'request',
    id,
    journal.list().map((entry) => entry.id),
  );
