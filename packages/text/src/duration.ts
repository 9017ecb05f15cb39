/** The default `timeout` of waiting calls: test runners fail a test after 5 s, and our error must come first. */
export const DEFAULT_WAIT = '4s';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `300ms`, `5s`, `15m`, `25h`, `14d` in whole milliseconds; undefined for other texts. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Math.round(Number(amount) * UNITS[unit as keyof typeof UNITS]);
}

/** Whole seconds in the largest unit without a remainder, such as `25h`. */
export function writtenDuration(milliseconds: number): string {
  const rounded = Math.round(milliseconds / 1000) * 1000;
  const [unit, length] = Object.entries(UNITS).findLast(
    ([, each]) => rounded !== 0 && rounded % each === 0,
  ) ?? ['s', UNITS.s];
  return `${rounded / length}${unit}`;
}

/** `-10m` is a negative duration; `10m` and `+10m` are positive. */
export function parseSignedDuration(text: string): number | undefined {
  const distance = parseDuration(text.replace(/^[+-]/, ''));
  return distance !== undefined && text.startsWith('-') ? -distance : distance;
}

/** `now`, `now-14d`, `now+1h` as an RFC 3339 time; any other text unchanged. */
function resolveTime(text: string, now: number): string {
  if (!text.startsWith('now')) return text;
  const [, sign, amount] = /^now(?:([+-])(\S+))?$/.exec(text) ?? [];
  if (sign === undefined || amount === undefined) return text === 'now' ? new Date(now).toISOString() : text;
  const distance = parseDuration(amount);
  if (distance === undefined) return text;
  const time = new Date(sign === '-' ? now - distance : now + distance);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** Replaces texts such as `now-1d` with times. */
export function resolveTimes(value: unknown, now: number): unknown {
  if (typeof value === 'string') return resolveTime(value, now);
  if (Array.isArray(value)) return value.map((each) => resolveTimes(each, now));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolveTimes(member, now)]));
}
