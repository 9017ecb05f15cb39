import type { ControlOutput } from '../contract/types.ts';
import { ApiError, failedPrecondition, invalidArgument } from '../contract/errors.ts';
import type { Environment } from '../environment/environment.ts';
import type { CommitStep } from '../environment/moments.ts';
import type { SavePoint } from '../environment/save-points.ts';
import type { CallEnd } from '../journal/entry.ts';
import { runInTurns, type Steps } from '../scenarios/steps.ts';
import type { RowChange, Tables } from '../state/env.ts';
import { anyTable, COLLECTIONS } from '../state/schema.ts';
import { tablesAt as tablesOfState } from '../state/state.ts';
import { given } from '@understudy/text/json';
import { StreamReply, type ControlOperations } from './handler.ts';
import { PIECE, rowsInPieces } from './row-pieces.ts';
import { requestNamed } from './requests.ts';

/** A moment of an environment, as a caller named it. */
interface NamedMoment {
  /** How many commits the environment had. */
  position: number;
  /** The position in the history at which the named call ended. Undefined if the caller named no call. */
  end?: CallEnd;
}

/** The rows as they were. Throws `not_found` for a moment that the history does not have. */
export async function tablesAt(environment: Environment, at: string): Promise<Tables> {
  return tablesOfState(await environment.moments.stateAt(momentNamed(environment, 'at', at).position));
}

/** The rows as they are or, with `at`, as they were. */
export const tablesOf = async (
  environment: Environment,
  { at }: { at?: string | undefined },
): Promise<Tables> => (at === undefined ? environment.tables : tablesAt(environment, at));

/** What a fork from the moment starts with. */
export async function pointAt(environment: Environment, at: string): Promise<SavePoint> {
  const { position, end } = momentNamed(environment, 'at', at);
  const point = await environment.moments.pointAt(position, end);
  if (point) return point;
  throw new ApiError(
    'not_found',
    `at: the history of environment ${environment.name} no longer has the clock and the scenarios of ${at}; its rows can be read`,
  );
}

export const moments = {
  async Control_CompareMoments({ query: { from: fromName, to: toName } }, { environment }) {
    const { moments: history } = environment;
    const { position: from } = momentNamed(environment, 'from', fromName);
    const to = toName === undefined ? history.position : momentNamed(environment, 'to', toName).position;
    if (from > to)
      throw invalidArgument(`from: ${fromName} is later than ${toName ?? 'now'}: exchange from and to`);
    const steps = history.between(from, to);
    const [before, after] = [await history.stateAt(from), await history.stateAt(to)].map(tablesOfState);
    const rows = await runInTurns(differences({ before: before!, after: after!, steps, environment }));
    const ends = { from: momentView(environment, from), to: momentView(environment, to) };
    if (rows.length <= PIECE) return { ...ends, rows };
    return new StreamReply('application/json', differenceInPieces(ends, rows)) as never;
  },
} satisfies Partial<ControlOperations>;

async function* differenceInPieces(ends: Omit<Difference, 'rows'>, rows: RowDifference[]) {
  yield `${JSON.stringify(ends).slice(0, -1)},"rows":[`;
  yield* rowsInPieces(rows, (row) => row);
  yield ']}';
}

function momentView(environment: Environment, position: number): Difference['from'] {
  const time = environment.moments.timeOf(position);
  return { position, ...given({ time: time === undefined ? undefined : new Date(time).toISOString() }) };
}

function momentNamed(environment: Environment, parameter: string, text: string): NamedMoment {
  if (environment.log.shared)
    throw failedPrecondition(
      `${parameter}: the past of an environment cannot be shown with --store, because several processes change it: use --data or --memory`,
    );
  const moment = readMoment(environment, parameter, text);
  const { oldest, position: newest } = environment.moments;
  if (moment.position >= oldest && moment.position <= newest) return moment;
  const kept = `it has the commits ${oldest} to ${newest}`;
  throw new ApiError(
    'not_found',
    `${parameter}: the history of environment ${environment.name} does not have ${text}: ${kept}`,
  );
}

const DATE = /^\d{4}-\d\d-\d\dT/;

function readMoment(environment: Environment, parameter: string, text: string): NamedMoment {
  if (/^req_\d+$/.test(text)) return endOf(environment, parameter, text);
  if (/^\d{1,15}$/.test(text)) return { position: Number(text) };
  const time = DATE.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return { position: environment.moments.positionAt(time) };
  throw invalidArgument(
    `${parameter}: ${JSON.stringify(text)} is no moment: name a request such as req_17, a time such as 2026-03-01T09:00:00Z, or a number of commits`,
  );
}

function endOf(environment: Environment, parameter: string, id: string): NamedMoment {
  const { end, isClosed } = requestNamed(environment, parameter, id);
  if (end) return { position: end.position, end };
  throw failedPrecondition(
    isClosed
      ? `${parameter}: an earlier process answered request ${id}, and the history begins with this one`
      : `${parameter}: request ${id} has no answer yet`,
  );
}

type Difference = ControlOutput<'Control_CompareMoments'>;
type RowDifference = Difference['rows'][number];
type MemberDifference = RowDifference['members'][number];

interface Compared {
  before: Tables;
  after: Tables;
  /** The commits between the two. */
  steps: readonly CommitStep[];
  environment: Environment;
}

/** What gave a member its value. */
interface Writer {
  change: RowChange;
  time: number;
}

function* differences({ before, after, steps, environment }: Compared): Steps<RowDifference[]> {
  const writers = yield* writersIn(steps);
  const requests = requestsOf(environment);
  if (steps.some(({ written }) => !Array.isArray(written))) yield* addAllRows([before, after], writers);
  const found: RowDifference[] = [];
  for (const [key, writtenBy] of writers) {
    const [collection = '', id = ''] = key.split('\n');
    const [was, is] = [before, after].map((tables) => anyTable(tables, collection as never).find(id));
    yield;
    if (was === is) continue;
    const members = membersOf(was, is).map((member) => {
      const writer = writtenBy.get(member.name);
      const time = writer && new Date(writer.time).toISOString();
      return { ...member, ...given({ request: writer && requests.get(writer.change), time }) };
    });
    if (members.length === 0) continue;
    const change = was ? (is ? 'changed' : 'deleted') : 'created';
    found.push({ collection, id, change, members });
  }
  return found;
}

const keyOf = (collection: string, id: string) => `${collection}\n${id}`;

/** By row and member: the last change of each. */
function* writersIn(steps: readonly CommitStep[]): Steps<Map<string, Map<string, Writer>>> {
  const writers = new Map<string, Map<string, Writer>>();
  for (const { written, time } of steps) {
    yield;
    if (!Array.isArray(written)) continue;
    for (const change of written as readonly RowChange[]) {
      const key = keyOf(change.collection, change.id);
      const members = writers.get(key) ?? new Map<string, Writer>();
      for (const { name } of membersOf(change.before, change.after)) members.set(name, { change, time });
      writers.set(key, members);
    }
  }
  return writers;
}

/** After all rows were replaced, each may differ. */
function* addAllRows(all: readonly Tables[], writers: Map<string, Map<string, Writer>>): Steps<void> {
  for (const tables of all)
    for (const collection of COLLECTIONS)
      for (const { id } of anyTable(tables, collection).list()) {
        const key = keyOf(collection, id);
        if (!writers.has(key)) writers.set(key, new Map());
        yield;
      }
}

/** Which call made which change. */
function requestsOf({ journal }: Environment): ReadonlyMap<RowChange, string> {
  const requests = new Map<RowChange, string>();
  for (const { id, changes } of journal.list()) for (const change of changes) requests.set(change, id);
  return requests;
}

function membersOf(before: object = {}, after: object = {}): MemberDifference[] {
  const [was, is] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names
    .filter((name) => was[name] !== is[name] && JSON.stringify(was[name]) !== JSON.stringify(is[name]))
    .map((name) => ({ name, ...given({ before: was[name], after: is[name] }) }));
}
