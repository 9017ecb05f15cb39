import type { ActivityItem } from '../environment/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { DEFAULT_WAIT } from '../text/duration.ts';
import { globTest } from '../text/glob.ts';
import { unknownName, EvidenceError, type ControlOperations } from './handler.ts';
import { gatherMatches, readTimeout } from './waiting.ts';

type OutgoingCall = Rows['outgoing_calls'];
type OutgoingMatch = Partial<Pick<OutgoingCall, 'kind' | 'status' | 'url'>>;

export const outgoing = {
  Control_ListOutgoingCalls({ query }, { environment }) {
    return { calls: callsSince(environment, undefined).filter(testOf(query)) };
  },

  async Control_WaitForOutgoingCall({ query }, { environment, signal }) {
    const { since, timeout, ...wanted } = query;
    const milliseconds = readTimeout(timeout);
    const isRight = testOf(wanted);
    const test = (call: OutgoingCall) =>
      isRight(call) && (wanted.status !== undefined || call.status !== 'PENDING');
    const known = new Set(idsUpTo(environment, since));
    const found = callsSince(environment, since).filter(test);
    const take = (item: ActivityItem) => changedCalls(item).find((call) => !known.has(call.id) && test(call));
    const calls = await gatherMatches(environment, {
      found,
      count: 1,
      take,
      part: 'state',
      milliseconds,
      signal,
    });
    const latest = calls.at(-1);
    if (latest) return latest;
    const others = callsSince(environment, since).map(({ id, kind, url, status }) => ({
      id,
      kind,
      url,
      status,
    }));
    throw new EvidenceError('deadline_exceeded', `no such call after ${timeout ?? DEFAULT_WAIT}`, { others });
  },

  Control_GetOutgoingCall({ path }, { environment }) {
    const { outgoing_calls } = environment.tables;
    const found = outgoing_calls.find(path.id);
    if (!found) throw unknownCall(path.id, outgoing_calls.list());
    return found;
  },
} satisfies Partial<ControlOperations>;

/** Oldest first, after the call with the id `since`. */
function callsSince({ tables }: Environment, since: string | undefined): OutgoingCall[] {
  const calls = tables.outgoing_calls.list();
  if (since === undefined) return calls;
  const at = calls.findIndex(({ id }) => id === since);
  if (at < 0) throw unknownCall(since, calls);
  return calls.slice(at + 1);
}

/** Ids of the calls up to `since`. */
function idsUpTo(environment: Environment, since: string | undefined): string[] {
  const later = new Set(callsSince(environment, since).map(({ id }) => id));
  return callsSince(environment, undefined).flatMap(({ id }) => (later.has(id) ? [] : id));
}

const changedCalls = (item: ActivityItem): OutgoingCall[] =>
  item.kind === 'state'
    ? item.changes.flatMap(({ collection, after }) =>
        collection === 'outgoing_calls' && after ? (after as OutgoingCall) : [],
      )
    : [];

function testOf({ kind, status, url }: OutgoingMatch): (call: OutgoingCall) => boolean {
  const address = url === undefined ? undefined : globTest(url);
  return (call) =>
    (kind === undefined || call.kind === kind) &&
    (status === undefined || call.status === status) &&
    (address === undefined || address(call.url));
}

const unknownCall = (id: string, calls: readonly OutgoingCall[]) =>
  unknownName(
    'outgoing call',
    id,
    calls.map((call) => call.id),
  );
