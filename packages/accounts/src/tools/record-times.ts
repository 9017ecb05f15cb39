import { isObject } from '@understudy/text/json';
import type { RecordData } from './account-records.ts';
import type { RecordFiller } from './record-directives.ts';

type Compare = (time: number, bound: number) => boolean;

/** How a list compares a time of the record, such as `start.dateTime`, with the time that a caller gave. */
const BOUNDS: Readonly<Record<string, Compare>> = {
  after: (time, bound) => time > bound,
  from: (time, bound) => time >= bound,
  before: (time, bound) => time < bound,
};

/**
 * The records within the times of a `$list`. A time that was not given excludes nothing. Unverified
 * (tools/unreadable-time): an unreadable one excludes all records.
 */
export function timeFilter(
  at: Readonly<Record<string, unknown>>,
  { fill }: RecordFiller,
): (data: RecordData) => boolean {
  const tests = Object.entries(BOUNDS).flatMap(([name, compare]) => {
    if (!isObject(at[name])) return [];
    return Object.entries(at[name]).flatMap(([path, template]) => {
      const given = fill(template);
      if (given === null || given === '') return [];
      const bound = microsecondsOf(given);
      return [(data: RecordData) => compare(microsecondsOf(memberAt(data, path)), bound)];
    });
  });
  return (data) => tests.every((test) => test(data));
}

const memberAt = (data: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), data);

const PER_SECOND = 1_000_000;
/** A larger number counts milliseconds. */
const MOST_SECONDS = 100_000_000_000;

/** Of a date, or of seconds or milliseconds since 1970; NaN for anything else. */
function microsecondsOf(time: unknown): number {
  if (typeof time !== 'string' && typeof time !== 'number') return NaN;
  if (!/^\d+(\.\d+)?$/.test(String(time))) return Date.parse(String(time)) * 1000;
  const number = Number(time);
  return Math.round(number > MOST_SECONDS ? number * 1000 : number * PER_SECOND);
}

/** Seconds with six decimals, as Slack writes times. Two records of one place never have the same. */
export function uniqueTime(now: number, before: string | undefined): string {
  const last = before === undefined ? NaN : microsecondsOf(before);
  const time = Math.max(now * 1000, Number.isNaN(last) ? 0 : last + 1);
  return `${Math.floor(time / PER_SECOND)}.${String(time % PER_SECOND).padStart(6, '0')}`;
}
