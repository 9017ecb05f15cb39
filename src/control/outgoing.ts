import type { Rows } from '../state/env.ts';
import { DEFAULT_WAIT } from '@understudy/text/duration';
import { globTest } from '@understudy/text/glob';
import { EvidenceError, type ControlOperations } from './handler.ts';
import { ItemList } from './item-list.ts';

type OutgoingCall = Rows['outgoing_calls'];
type OutgoingMatch = Partial<Pick<OutgoingCall, 'kind' | 'status' | 'url'>>;

const OUTGOING_CALLS = new ItemList<OutgoingCall>({
  noun: 'outgoing call',
  source: ({ tables }) => tables.outgoing_calls,
  changedIn: (activity) =>
    activity.kind === 'state'
      ? activity.changes.flatMap(({ collection, after }) =>
          collection === 'outgoing_calls' && after ? (after as OutgoingCall) : [],
        )
      : [],
  part: 'state',
});

export const outgoing = {
  Control_ListOutgoingCalls({ query }, { environment }) {
    return { calls: OUTGOING_CALLS.list(environment, { isWanted: testOf(query) }) };
  },

  async Control_WaitForOutgoingCall({ query }, context) {
    const { since, timeout, ...wanted } = query;
    const test = testOf(wanted);
    const isWanted = (call: OutgoingCall) =>
      test(call) && (wanted.status !== undefined || call.status !== 'PENDING');
    const calls = await OUTGOING_CALLS.wait(context, { isWanted, since, timeout });
    const latest = calls.at(-1);
    if (latest) return latest;
    const others = OUTGOING_CALLS.after(context.environment, since).map(({ id, kind, url, status }) => ({
      id,
      kind,
      url,
      status,
    }));
    throw new EvidenceError('deadline_exceeded', `no matching call came within ${timeout ?? DEFAULT_WAIT}`, {
      others,
    });
  },

  Control_GetOutgoingCall({ path }, { environment }) {
    return OUTGOING_CALLS.get(environment, path.id);
  },

  Control_DeleteOutgoingCalls(_, { environment, baseUrl }) {
    environment.transact({ baseUrl }, (env) => {
      for (const { id } of env.outgoing_calls.list()) env.remove('outgoing_calls', id);
    });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

function testOf({ kind, status, url }: OutgoingMatch): (call: OutgoingCall) => boolean {
  const address = url === undefined ? undefined : globTest(url);
  return (call) =>
    (kind === undefined || call.kind === kind) &&
    (status === undefined || call.status === status) &&
    (address === undefined || address(call.url));
}
