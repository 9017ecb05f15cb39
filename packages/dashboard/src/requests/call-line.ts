import {
  ControlError,
  type CountedRequests,
  type JournalEntry,
  type RequestPage,
} from '@understudy/client/control';
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
  /** Whether the refusal is no failure: the SDK gets a token after it. */
  isExpected: boolean;
  duration: number | undefined;
  scenario: string | undefined;
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
    isExpected: entry.expected !== undefined,
    duration: entry.duration_ms,
    scenario: name,
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

/** The order of the server, for the calls of one or more environments. */
export function sorted(
  lines: readonly CallLine[],
  by: NonNullable<RequestPage['sort']>,
  isReversed: boolean,
): CallLine[] {
  const key = (line: CallLine) => (by === 'status' ? line.status || undefined : line[by]);
  return newestFirst(lines).toSorted((a, b) => {
    const [one, other] = [key(a), key(b)];
    if (one === other) return 0;
    if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
    return one < other === isReversed ? 1 : -1;
  });
}

const numberOf = ({ id }: Pick<CallLine, 'id'>) => Number(id.replace(/\D+/, ''));

export type Handle = typeof environment.value;

const MOST_NEW = 1000;
const PAGE_OF_OLDER = 1000;
const MOST_OTHERS = 100;
/** Calls that ended are read again together if their numbers are less than this apart. */
const SPAN = 50;

/** How many calls match, and how many there are. */
export type Counts = Pick<CountedRequests, 'total' | 'kept'>;

/** What was read at once. */
export interface Batch {
  environment: string;
  lines: CallLine[];
  /** The list begins anew: the journal was cleared, or has dropped what came between. */
  isWhole: boolean;
}

interface ReaderOptions {
  /** Which calls, and in which order. Without one, the newest come first. */
  wanted: RequestPage;
  /** The number of calls that the first read takes. */
  page: number;
}

/** Reads the calls of one environment that match, each time what is new. With another order, all of them each time. */
export class JournalReader {
  readonly handle: Handle;
  readonly #wanted: RequestPage;
  readonly #page: number;
  /** The number of the newest call that was read, or is known not to match. */
  #newest: number | undefined;
  /** Undefined: the journal has no older calls than those that were read. */
  #oldest: string | undefined;
  /** Changes with each restart: a read that began before it does not say what is new. */
  #restarts = 0;
  /** Calls that ended since the last fetch. The list may hold them as calls without an answer, or not at all. */
  readonly #ended = new Set<number>();
  counts: Counts = { total: 0, kept: 0 };

  constructor(handle: Handle, { wanted, page }: ReaderOptions) {
    this.handle = handle;
    this.#wanted = wanted;
    this.#page = page;
  }

  get name(): string {
    return this.handle.name;
  }

  ended(id: string): void {
    this.#ended.add(numberOf({ id }));
  }

  /** The next fetch reads the whole list again. */
  restart(): void {
    this.#restarts += 1;
    this.#newest = undefined;
    this.#ended.clear();
  }

  async read(): Promise<Batch> {
    const restarts = this.#restarts;
    const ended = [...this.#ended];
    this.#ended.clear();
    const isSorted = this.#wanted.sort !== undefined;
    const since = isSorted ? undefined : this.#newest;
    const { entries, isWhole } = await this.#latest(since);
    const newest = Math.max(isWhole ? 0 : since!, 0, ...ended, ...entries.map(numberOf));
    const others = isWhole
      ? []
      : await this.#again(
          ended.filter((number) => number <= since!),
          newest,
        );
    if (restarts === this.#restarts) this.#newest = newest;
    if (isWhole) this.#oldest = !isSorted && entries.length === this.#page ? entries[0]?.id : undefined;
    return { environment: this.name, lines: [...entries, ...others].map(lineOf), isWhole };
  }

  /** Counts again which calls match: the journal may have dropped some. */
  async count(): Promise<void> {
    this.counts = await this.#find({ limit: 0 });
  }

  get hasOlder(): boolean {
    return this.#oldest !== undefined;
  }

  /** The calls before those that were read. */
  async older(): Promise<CallLine[]> {
    if (this.#oldest === undefined) return [];
    const { requests } = await this.#find({ before: this.#oldest, limit: PAGE_OF_OLDER });
    this.#oldest = requests.length === PAGE_OF_OLDER ? requests[0]?.id : undefined;
    return requests.map(lineOf);
  }

  #find(page: RequestPage): Promise<CountedRequests> {
    return this.handle.requests.page({ ...this.#wanted, ...page });
  }

  async #latest(since: number | undefined): Promise<{ entries: JournalEntry[]; isWhole: boolean }> {
    if (since !== undefined && since > 0) {
      try {
        return { entries: await this.#allSince(`req_${since}`), isWhole: false };
      } catch (thrown) {
        if (!(thrown instanceof ControlError)) throw thrown;
      }
    }
    const { requests, ...counts } = await this.#find({ limit: this.#page });
    this.counts = counts;
    return { entries: requests, isWhole: true };
  }

  /** The answer has the latest calls only, so a reader that is late asks again for those before them. */
  async #allSince(since: string): Promise<JournalEntry[]> {
    const pages: JournalEntry[][] = [];
    for (let before: string | undefined; ;) {
      const page = { since, limit: MOST_NEW, ...(before !== undefined && { before }) };
      const { requests, total, kept } = await this.#find(page);
      if (before === undefined) this.counts = { total: this.counts.total + total, kept };
      pages.unshift(requests);
      if (requests.length < MOST_NEW) return pages.flat();
      before = requests[0]!.id;
    }
  }

  /** Those of these calls that match. Their entries have changed since they were read. */
  async #again(numbers: readonly number[], newest: number): Promise<JournalEntry[]> {
    const between = ([first, last]: readonly [number, number]) =>
      this.#find({
        ...(first > 1 && { since: `req_${first - 1}` }),
        // The server refuses the id of a call that has not come yet.
        ...(last < newest && { before: `req_${last + 1}` }),
        limit: MOST_NEW,
      });
    const latest = numbers.toSorted((a, b) => a - b).slice(-MOST_OTHERS);
    const found = await Promise.all(spansOf(latest).map((span) => between(span).catch(() => undefined)));
    const all = found.flatMap((page) => page?.requests ?? []);
    return all.filter((entry) => latest.includes(numberOf(entry)));
  }
}

/** The first and the last number of each group of neighbours, so that one fetch reads all of them. */
function spansOf(numbers: readonly number[]): [first: number, last: number][] {
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const span = spans.at(-1);
    if (span && number < span[0] + SPAN) span[1] = number;
    else spans.push([number, number]);
  }
  return spans;
}
