const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** How far a time is from `now`, such as `in 14 days`. */
export function distanceInWords(at: number, now: number): string {
  const distance = at - now;
  const [unit, length] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? UNITS.at(-1)!;
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(Math.round(distance / length), unit);
}

/** What a time field means, or how to write one. */
export function timeInWords(value: unknown, now: number | undefined): string {
  const at = typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return 'A time such as 2030-01-01T09:00:00Z, now, now-1d or now+2h.';
  if (now === undefined) return new Date(at).toUTCString();
  return `${new Date(at).toUTCString()}, ${distanceInWords(at, now)} by the clock of the environment.`;
}
