import { UsageError } from '@understudy/core/cli/usage-error';
import {
  unchecked,
  type ClockSetting,
  type Collection,
  type Part,
  type RowListOptions,
  type StateDifference,
  ControlError,
  type ScenarioList,
} from '@understudy/client/control';
import { table } from '@understudy/core/cli/connect';
import type { Session } from './session.ts';
import { clockLine } from './follow.ts';
import { readRegularFile } from '@understudy/text/files';
import { jsonOrText } from '@understudy/text/json';
import { shortened } from '@understudy/text/suggestion';

const PAIR = /^([^=]+)=(.*)$/s;

/** `path=value` as a pair. Throws UsageError for any other text. */
function pairIn(text: string): [name: string, value: string] {
  const [, name, value] = PAIR.exec(text) ?? [];
  if (name === undefined && /^[{[]/.test(text)) throw new UsageError(`${text} is not JSON`);
  if (name === undefined) throw new UsageError(`${text} has no value: write ${text}=VALUE`);
  return [name, value!];
}

/** An object of `path=value` texts; dots in the path lead into nested objects: `settings.color=red`. */
function objectOf(texts: readonly string[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [path, value] of texts.map(pairIn)) setAt(object, path.split('.'), jsonOrText(value));
  return object;
}

function setAt(object: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    Object.defineProperty(object, name!, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const inner = Object.hasOwn(object, name!) ? object[name!] : undefined;
  const member = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  setAt(object, [name!], member);
  setAt(member, rest, value);
}

/** Which rows of a collection are printed, and in which order. */
export interface RowFilter extends Pick<RowListOptions, 'contains' | 'sort' | 'reverse' | 'limit' | 'at'> {
  /** `member=value` texts. */
  where?: readonly string[];
}

/** Prints a row, the rows of a collection, or the number of rows of each collection. */
export async function getState(
  { environment, print }: Session,
  [name, id]: readonly string[],
  { where: wanted = [], contains, sort, reverse, limit, at }: RowFilter,
): Promise<void> {
  const { state } = environment;
  const pairs = wanted.map(pairIn).map(([member, value]) => [member, jsonOrText(value)] as const);
  const where = pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
  const filter = Object.entries({ contains, where, sort, reverse, limit }).filter(
    ([, value]) => value !== undefined,
  );
  const [[flag] = []] = filter;
  if (flag !== undefined && (name === undefined || id !== undefined))
    throw new UsageError(`--${flag} is for the rows of a collection: write state get COLLECTION --${flag} …`);
  if (name === undefined) {
    const counts = await state.counts({ at });
    const lines = Object.entries(counts).map(([collection, count]) => [collection, String(count)]);
    return print(counts, table(lines));
  }
  const collection = name as Collection;
  const value =
    id === undefined
      ? await state.list(collection, { ...Object.fromEntries(filter), at })
      : await state.get(collection, id, { at });
  print(value, JSON.stringify(value, null, 2));
}

/** Prints what changed between two moments: a line for each row, and one for each of its members. */
export async function compareMoments(
  { environment, print }: Session,
  from: string,
  to: string | undefined,
): Promise<void> {
  const difference = await environment.state.difference(from, to);
  print(difference, difference.rows.length === 0 ? 'nothing changed' : difference.rows.flatMap(linesOf));
}

function linesOf({ collection, id, change, members }: StateDifference['rows'][number]): string[] {
  const marks = { created: '+', changed: '~', deleted: '-' };
  const value = (each: unknown) =>
    each === undefined ? 'absent' : shortened(JSON.stringify(each), LONGEST_VALUE);
  const shown = change === 'changed' ? members : [];
  return [
    `${marks[change]} ${collection} ${id}${byOf(members.at(-1))}`,
    ...shown.map((each) => `    ${each.name}: ${value(each.before)} → ${value(each.after)}${byOf(each)}`),
  ];
}

/** Which call made the change, if one did. */
const byOf = (member: { request?: string } | undefined) => (member?.request ? `  (${member.request})` : '');

/** Characters of a value on a terminal. */
const LONGEST_VALUE = 100;

/** The service refuses a collection that does not exist. */
interface RowAddress {
  collection: string;
  id: string;
}

export interface EditOptions {
  events?: boolean;
}

/** `values` are `path=value` texts, or one JSON object. A value of null removes the member. */
export async function patchRow(
  { environment, print }: Session,
  { collection, id }: RowAddress,
  values: readonly string[],
  { events = false }: EditOptions,
): Promise<void> {
  const row = await environment.state.patch(collection as Collection, id, bodyOf(values), { events });
  print(row, JSON.stringify(row, null, 2));
}

export async function putRow(
  { environment, print }: Session,
  { collection, id }: RowAddress,
  values: readonly string[],
  { events = false }: EditOptions,
): Promise<void> {
  const row = await environment.state.put(collection as Collection, id, bodyOf(values), { events });
  print(row, JSON.stringify(row, null, 2));
}

function bodyOf(values: readonly string[]): object {
  const [first = ''] = values;
  const whole = values.length === 1 && first.startsWith('{') ? jsonOrText(first) : undefined;
  return typeof whole === 'object' && whole !== null ? whole : objectOf(values);
}

export async function deleteRow(
  { environment, print }: Session,
  { collection, id }: RowAddress,
  { events = false }: EditOptions,
): Promise<void> {
  await environment.state.delete(collection as Collection, id, { events });
  print({ deleted: id }, `row ${id} of ${collection} is deleted`);
}

export interface TriggerOptions {
  /** `path=value` texts that replace values of the sample data. */
  set?: readonly string[];
  /** The event type that lends its sample data to a type that the contract lacks. */
  like?: string;
}

/** Emits an event of this type with sample data. */
export async function triggerEvent(
  { environment, print }: Session,
  type: string,
  { set = [], like }: TriggerOptions,
): Promise<void> {
  const event = await environment.webhooks.trigger(unchecked(type), {
    data: objectOf(set),
    like: like === undefined ? undefined : unchecked(like),
  });
  print(event, `${type} is emitted (${event.id})`);
}

export interface RotationOptions {
  overlap?: string;
}

/** Prints the keys that `/keys` lists now. */
export async function rotateKeys(
  { environment, print }: Session,
  { overlap }: RotationOptions,
): Promise<void> {
  const answer = await environment.rotateKeys({
    overlap: overlap === undefined ? undefined : unchecked(overlap),
  });
  const rows = answer.keys.map(({ kid, retires_at }) => [
    kid,
    retires_at === undefined ? 'signs new tokens' : `in /keys until ${retires_at}`,
  ]);
  print(answer, table(rows));
}

export async function showClock({ environment, print }: Session): Promise<void> {
  const clock = await environment.clock.get();
  print(clock, clockLine(clock));
}

export async function advanceClock({ environment, print }: Session, by: string): Promise<void> {
  const clock = await environment.clock.advance(unchecked(by));
  print(clock, clockLine(clock));
}

export async function freezeClock({ environment, print }: Session, at?: string): Promise<void> {
  const clock = await environment.clock.freeze(at);
  print(clock, clockLine(clock));
}

const OFFSET = /^now([+-].+)$/;

/** What begins like a time. The service says what is wrong with the rest. */
const TIME = /^\d{4}-/;

/** `to`: `real` for the time of the machine, an offset from it such as `now-14d`, or the time at which the clock goes on. */
export async function setClock({ environment, print }: Session, to: string): Promise<void> {
  const clock = await environment.clock.set(clockSettingOf(to));
  print(clock, clockLine(clock));
}

function clockSettingOf(to: string): ClockSetting {
  const [, offset] = OFFSET.exec(to) ?? [];
  if (offset !== undefined) return { mode: 'offset', offset: unchecked(offset.replace(/^\+/, '')) };
  if (TIME.test(to)) return { mode: 'offset', at: to };
  if (to === 'real') return { mode: 'real' };
  throw new UsageError(
    `${to} must be real, an offset such as now-14d, or a time such as 2030-01-01T09:00:00Z`,
  );
}

export async function takeSnapshot({ environment, print }: Session, name: string): Promise<void> {
  print(await environment.snapshots.take(name), `snapshot ${name} is taken`);
}

export async function restoreSnapshot({ environment, print }: Session, name: string): Promise<void> {
  await environment.snapshots.restore(name);
  print({ restored: name }, `snapshot ${name} is restored`);
}

export async function deleteSnapshot({ environment, print }: Session, name: string): Promise<void> {
  await environment.snapshots.delete(name);
  print({ deleted: name }, `snapshot ${name} is deleted`);
}

export async function listSnapshots({ environment, print }: Session): Promise<void> {
  const snapshots = await environment.snapshots.list();
  print(
    snapshots,
    snapshots.map(({ name }) => name),
    'no snapshots',
  );
}

export interface ResetOptions {
  /** The parts to reset, separated by commas. */
  only?: string;
}

export async function reset({ environment, print }: Session, { only }: ResetOptions): Promise<void> {
  await environment.reset(only === undefined ? {} : { only: only.split(',') as Part[] });
  print({ reset: only ?? 'everything' }, `environment ${environment.name} is reset`);
}

export async function listScenarios({ environment, print }: Session): Promise<void> {
  const list = await environment.scenarios.list();
  const loaded = list.loaded.map(({ name }) => name);
  const rows = list.available.map(({ name, description }) => [
    loaded.includes(name) ? '*' : ' ',
    name,
    firstSentence(description),
  ]);
  print(list, [...table(rows), '', '* loaded']);
}

const firstSentence = (text = '') => /^.*?[.](?= |$)/.exec(text)?.[0] ?? text;

/** `name` is a scenario of the library, or a file. */
export async function loadScenario(
  { environment, print }: Session,
  name: string,
  params: string[],
): Promise<void> {
  const { scenarios } = environment;
  if (isFile(name) && params.length > 0)
    throw new UsageError(`${name} is a file: only scenarios of the library take parameters`);
  const load = isFile(name)
    ? scenarios.loadYaml(readRegularFile(name))
    : scenarios.load(unchecked(name), paramsOf(name, params, await scenarios.list()));
  const { id } = await load.catch((thrown: unknown) => {
    throw withPlace(thrown, name);
  });
  const loaded = await scenarios.get(id);
  print(loaded, `scenario ${loaded.name} is loaded in environment ${environment.name}`);
}

/** The service names a place in the request, which the user has not written. */
function withPlace(thrown: unknown, name: string): unknown {
  if (!(thrown instanceof ControlError)) return thrown;
  const inFile = thrown.message.replaceAll(/^request body(?=:\d+:\d+)/gm, name);
  return new UsageError(inFile.replaceAll(/^(?=params\b)/gm, `${name}: `));
}

const isFile = (name: string) => /[/\\]|\.(ya?ml|json)$/.test(name);

/** Values of text parameters stay texts; all others are read as JSON. */
function paramsOf(name: string, texts: readonly string[], list: ScenarioList): object {
  return readParams(name, Object.fromEntries(texts.map(pairIn)), list);
}

export function readParams(name: string, texts: Record<string, string>, { available }: ScenarioList): object {
  const declared = available.find((each) => each.name === name)?.params ?? {};
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => {
      const { type } = (declared as Record<string, { type?: string }>)[key] ?? {};
      return [key, type === 'string' ? value : jsonOrText(value)];
    }),
  );
}

export async function unloadScenario({ environment, print }: Session, name?: string): Promise<void> {
  await environment.scenarios.unload(name);
  print(
    { unloaded: name ?? 'all' },
    name === undefined ? 'all scenarios are unloaded' : `scenario ${name} is unloaded`,
  );
}
