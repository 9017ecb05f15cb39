import { effect, signal } from '@preact/signals';
import { ControlError } from '../../client/control.ts';
import { control, environment, listen } from '../session.ts';
import {
  mergeLines,
  newestFirst,
  JournalReader,
  type CallLine,
  type Batch,
  type Handle,
} from './call-line.ts';

/** As many calls as the list holds, and as many as it begins with: of one environment, or of each of all. */
const MOST = 10_000;
const PAGE = 500;
const PAGE_OF_EACH = 100;
/** Milliseconds after a fetch that failed. */
const RETRY_AFTER = 1000;

/** Newest first. */
export const calls = signal<readonly CallLine[]>([]);
/** Whether the list has the calls of all environments. */
export const isAll = signal(false);
/** While the list is paused, new calls are only counted. */
export const paused = signal(false);
export const waiting = signal(0);

/** By the name of the environment. */
const readers = new Map<string, JournalReader>();
const wanted = new Set<JournalReader>();
let isLoading = false;

/** Keeps the list up to date with the environment that is shown, or with all. */
export function followJournal(): () => void {
  return effect(() => {
    const shown = environment.value;
    calls.value = [];
    waiting.value = 0;
    readers.clear();
    wanted.clear();
    return isAll.value ? followAll(shown) : followOne(shown);
  });
}

function followOne(shown: Handle): () => void {
  readerOf(shown.name, shown);
  restart();
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
  const reader = readers.get(name) ?? new JournalReader(handle, isAll.peek() ? PAGE_OF_EACH : PAGE);
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

/** Fetches the whole list again. */
function restart(): void {
  waiting.value = 0;
  for (const reader of readers.values()) {
    reader.restart();
    wanted.add(reader);
  }
  update();
}

/** Fetches what is new. Calls that come meanwhile are fetched by one more round; a fetch that fails is made again. */
function update(reader?: JournalReader): void {
  if (reader) wanted.add(reader);
  if (isLoading || wanted.size === 0) return;
  isLoading = true;
  void load().then((hasFailed) => {
    isLoading = false;
    if (wanted.size > 0 && (hasFailed || !paused.peek())) setTimeout(update, hasFailed ? RETRY_AFTER : 0);
  });
}

/** Resolves to whether a fetch has failed. */
async function load(): Promise<boolean> {
  const round = [...wanted];
  wanted.clear();
  const read = await Promise.all(round.map(async (reader) => ({ reader, batch: await batchOf(reader) })));
  // The user may have switched to another environment meanwhile.
  const current = read.filter(({ reader }) => readers.get(reader.name) === reader);
  add(current.flatMap(({ batch }) => batch ?? []));
  return current.some(({ batch }) => batch === undefined);
}

/** Undefined: the fetch has failed. */
async function batchOf(reader: JournalReader): Promise<Batch | undefined> {
  try {
    return await reader.read();
  } catch (thrown) {
    reader.restart();
    if (thrown instanceof ControlError && thrown.status === 404) forget(reader.name);
    else if (readers.get(reader.name) === reader) wanted.add(reader);
    return undefined;
  }
}

function add(batches: readonly Batch[]): void {
  if (batches.length === 0) return;
  const whole = new Set(batches.filter(({ isWhole }) => isWhole).map(({ environment: name }) => name));
  const kept = calls.peek().filter((line) => !whole.has(line.environment));
  show(
    mergeLines(
      kept,
      batches.flatMap((batch) => batch.lines),
    ),
  );
}

function show(lines: readonly CallLine[]): void {
  calls.value = lines.slice(0, MOST);
  hasOlder.value = lines.length < MOST && [...readers.values()].some((reader) => reader.hasOlder);
}
