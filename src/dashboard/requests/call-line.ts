import type { JournalEntry } from '../../client/control.ts';

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

export function lineOf(entry: JournalEntry): CallLine {
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
