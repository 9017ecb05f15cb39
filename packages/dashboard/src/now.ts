import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useData } from './data.ts';
import { environment } from './session.ts';

/** The time of the environment in milliseconds, and its mode; undefined until they are known. */
export function useClock() {
  const { value } = useData(
    async () => ({ clock: await environment.value.clock.get(), readAt: performance.now() }),
    ['clock', 'snapshot'],
  );
  const tick = useSignal(0);
  const runs = value !== undefined && value.clock.mode !== 'frozen';
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => (tick.value += 1), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  void tick.value;
  if (!value) return undefined;
  const { now, mode } = value.clock;
  return { mode, now: Date.parse(now) + (runs ? performance.now() - value.readAt : 0) };
}

/** The time of the environment in milliseconds; undefined until it is known. */
export const useNow = (): number | undefined => useClock()?.now;

/** The time of the machine that the browser runs on, in milliseconds since 1970. */
export const machineNow = (): number => performance.timeOrigin + performance.now();

const UNITS = [
  ['year', 31_536_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

const FORMAT = new Intl.RelativeTimeFormat('en');

/** Such as `in 3 minutes` or `2 days ago`. */
export function distance(at: number | string, now: number): string {
  const seconds = Math.round(((typeof at === 'string' ? Date.parse(at) : at) - now) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return FORMAT.format(Math.round(seconds / size), unit);
}

/** What a time field means, or how to write one. */
export function timeInWords(value: unknown, now: number | undefined): string {
  const at = typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return 'A time such as 2030-01-01T09:00:00Z, now, now-1d or now+2h.';
  if (now === undefined) return new Date(at).toUTCString();
  return `${new Date(at).toUTCString()}, ${distance(at, now)} by the clock of the environment.`;
}
