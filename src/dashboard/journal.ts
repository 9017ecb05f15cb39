import { effect, signal } from '@preact/signals';
import type { JournalEntry } from '../client/control.ts';
import { environment, listen } from './session.ts';

/** What a row of the list shows; the whole entry is fetched when it is opened. */
export interface CallLine {
  id: string;
  time: string;
  protocol: string;
  method: string;
  path: string;
  operation: string | undefined;
  status: number;
  duration: number | undefined;
  scenario: string | undefined;
  /** Lower-case text that the filter looks into. */
  text: string;
}

/** As many calls as the list holds. */
const MOST = 10_000;
const PAGE = 500;

/** Newest first. */
export const calls = signal<readonly CallLine[]>([]);
/** While the list stands still, new calls are counted only. */
export const paused = signal(false);
export const waiting = signal(0);

/** Calls that began before the newest one of the list, and ended after it. */
const late = new Set<string>();

let loading: Promise<void> | undefined;
let wanted = false;

/** Keeps the list up to date with the environment that is shown. */
export function followJournal(): () => void {
  const stopEffect = effect(() => {
    const shown = environment.value;
    calls.value = [];
    waiting.value = 0;
    void shown;
  });
  const stopListening = listen(({ kind, data }) => {
    if (kind === 'start' || kind === 'reset') return restart();
    if (kind !== 'request') return;
    const { id } = data as { id?: string };
    if (id !== undefined && numberOf(id) < numberOf(calls.peek()[0]?.id)) late.add(id);
    if (paused.value) waiting.value += 1;
    else update();
  });
  restart();
  return () => {
    stopEffect();
    stopListening();
  };
}

export function resume(): void {
  paused.value = false;
  waiting.value = 0;
  update();
}

function restart(): void {
  calls.value = [];
  late.clear();
  waiting.value = 0;
  update();
}

/** Fetches what is new. Calls that come meanwhile are fetched by one more round. */
function update(): void {
  wanted = true;
  loading ??= load().finally(() => {
    loading = undefined;
    if (wanted) update();
  });
}

async function load(): Promise<void> {
  while (wanted) {
    wanted = false;
    const shown = environment.peek();
    const newest = calls.peek()[0]?.id;
    const entries = await latest(shown, newest).catch(() => undefined);
    if (entries === undefined || shown !== environment.peek()) continue;
    const fresh = entries.toReversed().map(lineOf);
    const found = await lateCalls(shown);
    if (shown !== environment.peek()) continue;
    calls.value = merge([...fresh, ...calls.peek()], found).slice(0, MOST);
    if (newest !== undefined && entries.length === PAGE) wanted = true;
  }
}

async function lateCalls(shown: typeof environment.value): Promise<CallLine[]> {
  const ids = [...late];
  late.clear();
  const entries = await Promise.all(ids.map((id) => shown.requests.get(id).catch(() => undefined)));
  return entries.filter((entry) => entry !== undefined).map(lineOf);
}

/** In order of their ids, each once. */
function merge(list: CallLine[], found: readonly CallLine[]): CallLine[] {
  if (found.length === 0) return list;
  const byId = new Map([...list, ...found].map((line) => [line.id, line]));
  return [...byId.values()].toSorted((a, b) => numberOf(b.id) - numberOf(a.id));
}

const numberOf = (id: string | undefined) => Number(id?.replace(/\D+/, '') ?? 0);

async function latest(shown: typeof environment.value, newest: string | undefined): Promise<JournalEntry[]> {
  if (newest === undefined) return shown.requests.list({ limit: PAGE });
  try {
    return await shown.requests.list({ since: newest, limit: 1000 });
  } catch {
    calls.value = []; // the journal was cleared, or has dropped what came between
    return shown.requests.list({ limit: PAGE });
  }
}

function lineOf(entry: JournalEntry): CallLine {
  const { id, time, protocol, method, path, operation, status, duration_ms: duration, scenario } = entry;
  const name = scenario.name;
  const text = [id, protocol, method, path, operation, status, name].join(' ').toLowerCase();
  return { id, time, protocol, method, path, operation, status: status ?? 0, duration, scenario: name, text };
}
