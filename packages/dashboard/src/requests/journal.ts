import { computed, effect, signal } from '@preact/signals';
import { ControlError } from '@understudy/client/control';
import { messageOf } from '../data.ts';
import { connection, control, environment, listen } from '../session.ts';
import { isAll, isNarrow, wantedCalls } from './call-filter.ts';
import {
  mergeLines,
  newestFirst,
  sorted,
  JournalReader,
  type CallLine,
  type Batch,
  type Counts,
  type Handle,
} from './call-line.ts';

/** As many calls as the list holds, and as many as it begins with: of one environment, or of each of all. */
export const MOST = 10_000;
const PAGE = 500;
const PAGE_OF_EACH = 100;
/** As many calls as a list in another order has. */
const MOST_SORTED = 1000;
/** Milliseconds between two fetches: calls that come meanwhile are shown at once. */
const CALM = 250;
/** Milliseconds after a fetch that failed. */
const RETRY_AFTER = 1000;
/** The pause after a search of the whole journal, as a multiple of how long it took, and in milliseconds at least. */
const REST = { times: 5, least: 500 };

/** Newest first, or in the order that the address says. */
export const calls = signal<readonly CallLine[]>([]);
/** Undefined until the first fetch. */
export const counts = signal<Counts | undefined>(undefined);
/** What the server says against the filter. */
export const complaint = signal<string | undefined>(undefined);
/** While the list is paused, new calls are only counted. */
export const paused = signal(false);
export const waiting = signal(0);

/** By the name of the environment. */
const readers = new Map<string, JournalReader>();
const wanted = new Set<JournalReader>();
let isLoading = false;
/** Sorted lists are read as a whole, after a rest. */
let restsUntil = 0;

/** The environment that the list is about; empty for all. */
let shownPlace: string | undefined;

/** What the readers read: a change of it begins the list anew. */
const query = computed(() => JSON.stringify(wantedCalls.value));

/** The query whose answer the list shows. */
const answered = signal<string | undefined>(undefined);

/** Whether the list still shows what was there before the address changed. */
export const isOutdated = computed(() => counts.value === undefined || answered.value !== query.value);

/** Keeps the list up to date with the environment that is shown, or with all. */
export function followJournal(): () => void {
  return effect(() => {
    const shown = environment.value;
    // The list stays until the first answer, so that it does not flicker while a filter is typed.
    void query.value;
    const place = isAll.value ? '' : shown.name;
    if (place !== shownPlace) calls.value = [];
    shownPlace = place;
    counts.value = answered.value = undefined;
    complaint.value = undefined;
    waiting.value = 0;
    readers.clear();
    wanted.clear();
    return isAll.value ? followAll(shown) : followOne(shown);
  });
}

const isSorted = () => wantedCalls.peek().sort !== undefined;

function followOne(shown: Handle): () => void {
  readerOf(shown.name, shown);
  // While the feed opens, its start is near. A second fetch then would take back the older calls that were loaded.
  if (connection.peek() !== 'connecting') restart();
  return listen(({ kind, data }) => {
    if (kind === 'start') restart();
    else hear(kind, { ...(data as Heard), environment: shown.name });
  });
}

function followAll(shown: Handle): () => void {
  const stopping = new AbortController();
  void followFeed(shown, stopping.signal);
  return () => stopping.abort();
}

async function followFeed(shown: Handle, signal: AbortSignal): Promise<void> {
  const kinds = ['request', 'reset', 'environment'] as const;
  const onOpen = () => void findEnvironments(signal);
  while (!signal.aborted) {
    try {
      for await (const { kind, data } of shown.events({ all: true, kinds, signal, onOpen }))
        hear(kind, data as Heard);
    } catch {
      // The header of the page already says that Understudy does not answer.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER));
  }
}

/** If this fails, the feed breaks too, and opens again. */
async function findEnvironments(signal: AbortSignal): Promise<void> {
  const all = await control()
    .environments.list({ resting: 0 }) // a resting environment has no journal, and asking for it would wake the environment
    .catch(() => []);
  if (signal.aborted) return;
  for (const { name } of all) readerOf(name);
  restart();
}

function readerOf(name: string, handle: Handle = control().environment(name)): JournalReader {
  const page = isSorted() ? MOST_SORTED : isAll.peek() ? PAGE_OF_EACH : PAGE;
  const reader = readers.get(name) ?? new JournalReader(handle, { wanted: wantedCalls.peek(), page });
  readers.set(name, reader);
  return reader;
}

interface Heard {
  /** Where it happened. */
  environment: string;
  /** Of a call. */
  id?: string;
  /** What happened to an environment, and which. */
  change?: string;
  name?: string;
}

function hear(kind: string, { environment: at, id, change, name = '' }: Heard): void {
  if (kind === 'environment' && change === 'dropped') return forget(name);
  if (kind === 'reset') {
    const reader = readerOf(at);
    reader.restart();
    return update(reader);
  }
  if (kind !== 'request') return;
  const reader = readerOf(at);
  if (id !== undefined) reader.ended(id);
  wanted.add(reader);
  if (paused.value) waiting.value += 1;
  else update();
}

function forget(name: string): void {
  const reader = readers.get(name);
  if (!isAll.peek() || !reader) return;
  readers.delete(name);
  wanted.delete(reader);
  calls.value = calls.peek().filter((line) => line.environment !== name);
  sumUp();
}

export function resume(): void {
  paused.value = false;
  waiting.value = 0;
  update();
}

/** Empties the journal of each environment that is shown. */
export async function clear(): Promise<void> {
  await Promise.all([...readers.values()].map(({ handle }) => handle.requests.clear()));
  restart();
}

/** Whether the journals have older calls than the list. */
export const hasOlder = signal(false);

export async function loadOlder(): Promise<void> {
  const current = [...readers.values()];
  const lines = (await Promise.all(current.map((reader) => reader.older()))).flat();
  const known = new Set(calls.peek().map(({ key }) => key));
  const added = lines.filter(({ key, environment: at }) => readers.has(at) && !known.has(key));
  show([...calls.peek(), ...newestFirst(added)]);
}

/** Fetches the whole list again, without a rest. */
function restart(): void {
  waiting.value = 0;
  for (const reader of readers.values()) {
    reader.restart();
    wanted.add(reader);
  }
  clearTimeout(resting);
  resting = undefined;
  update();
}

/** After each fetch, until the next one may begin. */
let resting: ReturnType<typeof setTimeout> | undefined;

/** Fetches what is new. Calls that come during a fetch or the rest after it are fetched by one more round. */
function update(reader?: JournalReader): void {
  if (reader) wanted.add(reader);
  if (isLoading || resting !== undefined || wanted.size === 0) return;
  isLoading = true;
  void load().then((hasFailed) => {
    isLoading = false;
    const time = hasFailed ? RETRY_AFTER : Math.max(CALM, restsUntil - performance.now());
    resting = setTimeout(() => {
      resting = undefined;
      if (hasFailed || !paused.peek()) update();
    }, time);
  });
}

let counting: ReturnType<typeof setTimeout> | undefined;

/** The journal may drop calls that matched, so they are counted again after a rest. */
function countLater(delay: number = REST.least): void {
  if (!isNarrow.peek() || isSorted()) return;
  counting ??= setTimeout(
    () => {
      const begun = performance.now();
      const current = [...readers.values()];
      void Promise.all(current.map((reader) => reader.count().catch(() => undefined))).then(() => {
        counting = undefined;
        sumUp();
        restsUntilCount = performance.now() + REST.times * (performance.now() - begun);
      });
    },
    Math.max(delay, restsUntilCount - performance.now()),
  );
}

let restsUntilCount = 0;

/** Of all environments that are shown. */
function sumUp(): void {
  const all = [...readers.values()].map((reader) => reader.counts);
  counts.value = {
    total: all.reduce((sum, { total }) => sum + total, 0),
    kept: all.reduce((sum, { kept }) => sum + kept, 0),
  };
}

/** Resolves to whether a fetch has failed. */
async function load(): Promise<boolean> {
  const round = [...wanted];
  wanted.clear();
  const begun = performance.now();
  const read = await Promise.all(round.map(async (reader) => ({ reader, batch: await batchOf(reader) })));
  if (isSorted()) {
    const now = performance.now();
    restsUntil = now + Math.max(REST.least, REST.times * (now - begun));
  }
  // The user may have switched to another environment or filter meanwhile.
  const current = read.filter(({ reader }) => readers.get(reader.name) === reader);
  if (current.length === 0) return false;
  add(current.flatMap(({ batch }) => batch ?? []));
  answered.value = query.peek();
  sumUp();
  if (current.some(({ batch }) => batch?.isWhole === false)) countLater();
  return current.some(({ batch }) => batch === undefined);
}

/** Undefined: the fetch has failed. */
async function batchOf(reader: JournalReader): Promise<Batch | undefined> {
  try {
    return await reader.read();
  } catch (thrown) {
    reader.restart();
    const status = thrown instanceof ControlError ? thrown.status : undefined;
    if (status === 400) {
      // The filter cannot be read, such as an operation that does not exist: nothing matches until it is changed.
      if (readers.get(reader.name) === reader) complaint.value = messageOf(thrown);
      reader.counts = { total: 0, kept: reader.counts.kept };
      return { environment: reader.name, lines: [], isWhole: true };
    }
    if (status === 404) forget(reader.name);
    else if (readers.get(reader.name) === reader) wanted.add(reader);
    return undefined;
  }
}

function add(batches: readonly Batch[]): void {
  if (batches.length === 0) return;
  const whole = new Set(batches.filter(({ isWhole }) => isWhole).map(({ environment: name }) => name));
  const kept = calls.peek().filter(({ environment: at }) => !whole.has(at) && readers.has(at));
  const lines = batches.flatMap((batch) => batch.lines);
  const { sort, reverse } = wantedCalls.peek();
  show(sort === undefined ? mergeLines(kept, lines) : sorted([...kept, ...lines], sort, reverse ?? false));
}

function show(lines: readonly CallLine[]): void {
  calls.value = lines.slice(0, isSorted() ? MOST_SORTED : MOST);
  hasOlder.value = lines.length < MOST && [...readers.values()].some((reader) => reader.hasOlder);
}
