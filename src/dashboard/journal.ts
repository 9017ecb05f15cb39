import { effect, signal } from '@preact/signals';
import { ControlError, type JournalEntry } from '../client/control.ts';
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
const MOST_NEW = 1000;
const MOST_OTHERS = 100;
/** Milliseconds after a fetch that failed. */
const RETRY_AFTER = 1000;

/** Newest first. */
export const calls = signal<readonly CallLine[]>([]);
/** While the list stands still, new calls are counted only. */
export const paused = signal(false);
export const waiting = signal(0);

/** Calls that ended since the last fetch. The list may hold them as calls without an answer, or not at all. */
const ended = new Set<string>();

let isLoading = false;
let wanted = false;
/** Nothing of the list counts any more. */
let isStale = true;

/** Keeps the list up to date with the environment that is shown. */
export function followJournal(): () => void {
  const stopEffect = effect(() => {
    void environment.value;
    calls.value = [];
    isStale = true;
    waiting.value = 0;
  });
  const stopListening = listen(({ kind, data }) => {
    if (kind === 'start' || kind === 'reset') return restart();
    if (kind !== 'request') return;
    const { id } = data as { id?: string };
    if (id !== undefined) ended.add(id);
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

/** Fetches the whole list again. */
export function restart(): void {
  isStale = true;
  ended.clear();
  waiting.value = 0;
  update();
}

/** Fetches what is new. Calls that come meanwhile are fetched by one more round; a fetch that fails is made again. */
function update(): void {
  wanted = true;
  if (isLoading) return;
  isLoading = true;
  void load().then((wait) => {
    isLoading = false;
    if (wanted) setTimeout(update, wait);
  });
}

/** Resolves to the milliseconds until the next round. */
async function load(): Promise<number> {
  wanted = false;
  try {
    await fetchNew(environment.peek());
    return 0;
  } catch {
    isStale = wanted = true;
    return RETRY_AFTER;
  }
}

async function fetchNew(shown: typeof environment.value): Promise<void> {
  const ids = [...ended];
  ended.clear();
  const known = isStale ? [] : calls.peek();
  isStale = false;
  const { entries, isWhole } = await latest(shown, known[0]?.id);
  const fresh = new Set(entries.map(({ id }) => id));
  const others = ids.filter((id) => !fresh.has(id)).slice(-MOST_OTHERS);
  const found = await Promise.all(others.map((id) => shown.requests.get(id).catch(() => undefined)));
  if (shown !== environment.peek()) return;
  const lines = [...entries, ...found.filter((entry) => entry !== undefined)].map(lineOf);
  calls.value = merge(isWhole ? [] : known, lines).slice(0, MOST);
}

/** The newest first; a line replaces the one of the same id. */
function merge(list: readonly CallLine[], lines: readonly CallLine[]): CallLine[] {
  const byId = new Map([...list, ...lines].map((line) => [line.id, line]));
  return [...byId.values()].toSorted((a, b) => numberOf(b.id) - numberOf(a.id));
}

const numberOf = (id: string) => Number(id.replace(/\D+/, ''));

interface Latest {
  entries: JournalEntry[];
  /** The list begins anew: the journal was cleared, or has dropped what came between. */
  isWhole: boolean;
}

async function latest(shown: typeof environment.value, newest: string | undefined): Promise<Latest> {
  const whole = async () => ({ entries: await shown.requests.list({ limit: PAGE }), isWhole: true });
  if (newest === undefined) return whole();
  try {
    return { entries: await shown.requests.list({ since: newest, limit: MOST_NEW }), isWhole: false };
  } catch (thrown) {
    if (thrown instanceof ControlError) return whole();
    throw thrown;
  }
}

function lineOf(entry: JournalEntry): CallLine {
  const { id, time, protocol, method, path, operation, status, duration_ms: duration, scenario } = entry;
  const name = scenario.name;
  const text = [id, protocol, method, path, operation, status, name].join(' ').toLowerCase();
  return { id, time, protocol, method, path, operation, status: status ?? 0, duration, scenario: name, text };
}
