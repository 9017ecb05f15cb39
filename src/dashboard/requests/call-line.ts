import { ControlError, type JournalEntry } from '../../client/control.ts';
import type { environment } from '../session.ts';

/** What a row of the list shows; the whole entry is fetched when it is opened. */
export interface CallLine {
  /** Environment and id: each environment counts its own calls. */
  key: string;
  id: string;
  environment: string;
  time: string;
  protocol: string;
  method: string;
  path: string;
  operation: string | undefined;
  /** 0: there is no answer. */
  status: number;
  duration: number | undefined;
  scenario: string | undefined;
  /** Lower-case text that the filter looks into. */
  text: string;
}

function lineOf(entry: JournalEntry): CallLine {
  const { id, environment, time, protocol, method, path, operation, status, scenario } = entry;
  const { name } = scenario;
  return {
    key: `${environment} ${id}`,
    id,
    environment,
    time,
    protocol,
    method,
    path,
    operation,
    status: status ?? 0,
    duration: entry.duration_ms,
    scenario: name,
    text: [id, protocol, method, path, operation, status, name].join(' ').toLowerCase(),
  };
}

/** Puts new lines before the others, the newest first. A line replaces the one of the same key. */
export function mergeLines(list: readonly CallLine[], lines: readonly CallLine[]): CallLine[] {
  const fresh = new Map(lines.map((line) => [line.key, line]));
  const kept = list.map((line) => fresh.get(line.key) ?? line);
  for (const { key } of list) fresh.delete(key);
  return [...newestFirst([...fresh.values()]), ...kept];
}

/** Each environment has its own clock and its own numbers, so only times compare calls of several environments. */
export function newestFirst(lines: readonly CallLine[]): CallLine[] {
  const numbered = lines.toSorted((a, b) => numberOf(b) - numberOf(a));
  const isOne = lines.every(({ environment }) => environment === lines[0]!.environment);
  return isOne ? numbered : numbered.toSorted((a, b) => b.time.localeCompare(a.time));
}

const numberOf = ({ id }: CallLine) => Number(id.replace(/\D+/, ''));

export type Handle = typeof environment.value;

const MOST_NEW = 1000;
const PAGE_OF_OLDER = 1000;
const MOST_OTHERS = 100;

/** What was read at once. */
export interface Batch {
  environment: string;
  lines: CallLine[];
  /** The list begins anew: the journal was cleared, or has dropped what came between. */
  isWhole: boolean;
}

/** Reads the journal of one environment, each time what is new. */
export class JournalReader {
  readonly handle: Handle;
  readonly #page: number;
  #newest: string | undefined;
  /** Undefined: the journal has no older calls than those that were read. */
  #oldest: string | undefined;
  /** Calls that ended since the last fetch. The list may hold them as calls without an answer, or not at all. */
  readonly #ended = new Set<string>();

  /** `page`: the number of calls that the first fetch reads. */
  constructor(handle: Handle, page: number) {
    this.handle = handle;
    this.#page = page;
  }

  get name(): string {
    return this.handle.name;
  }

  ended(id: string): void {
    this.#ended.add(id);
  }

  /** The next fetch reads the whole list again. */
  restart(): void {
    this.#newest = undefined;
    this.#ended.clear();
  }

  async read(): Promise<Batch> {
    const ids = [...this.#ended];
    this.#ended.clear();
    const { entries, isWhole } = await this.#latest();
    this.#newest = entries.at(-1)?.id ?? (isWhole ? undefined : this.#newest);
    if (isWhole) this.#oldest = entries.length === this.#page ? entries[0]?.id : undefined;
    const fresh = new Set(entries.map(({ id }) => id));
    const others = ids.filter((id) => !fresh.has(id)).slice(-MOST_OTHERS);
    const found = await Promise.all(others.map((id) => this.handle.requests.get(id).catch(() => undefined)));
    const lines = [...entries, ...found.filter((entry) => entry !== undefined)].map(lineOf);
    return { environment: this.name, lines, isWhole };
  }

  get hasOlder(): boolean {
    return this.#oldest !== undefined;
  }

  /** The calls before those that were read. */
  async older(): Promise<CallLine[]> {
    if (this.#oldest === undefined) return [];
    const entries = await this.handle.requests.list({ before: this.#oldest, limit: PAGE_OF_OLDER });
    this.#oldest = entries.length === PAGE_OF_OLDER ? entries[0]?.id : undefined;
    return entries.map(lineOf);
  }

  async #latest(): Promise<{ entries: JournalEntry[]; isWhole: boolean }> {
    const { requests } = this.handle;
    if (this.#newest !== undefined) {
      try {
        return { entries: await this.#allSince(this.#newest), isWhole: false };
      } catch (thrown) {
        if (!(thrown instanceof ControlError)) throw thrown;
      }
    }
    return { entries: await requests.list({ limit: this.#page }), isWhole: true };
  }

  /** The answer has the latest calls only, so a reader that is late asks again for those before them. */
  async #allSince(since: string): Promise<JournalEntry[]> {
    const { requests } = this.handle;
    let page = await requests.list({ since, limit: MOST_NEW });
    const pages = [page];
    while (page.length === MOST_NEW) {
      page = await requests.list({ since, before: page[0]!.id, limit: MOST_NEW });
      pages.unshift(page);
    }
    return pages.flat();
  }
}
