import { parseDuration } from '../text/duration.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

/** A fault as it is written. */
export interface WrittenFault {
  delay?: WrittenDelay;
  disconnect?: 'before' | 'middle' | 'reset';
  truncate?: number;
  garbage?: true;
  dribble?: { chunks: number; over: string };
}

/** How an answer breaks on its way to the caller. Each protocol has its own way to do it. */
export type Breakage =
  /** Not a byte is sent; `reset`: and the connection does not even end in good order. */
  | { readonly kind: 'silence'; readonly reset: boolean }
  /** The head and so many bytes of the body, of which the head promises all; then the connection ends. */
  | { readonly kind: 'cut'; readonly at: number | 'middle' }
  /** These bytes in the place of the body. */
  | { readonly kind: 'garbage'; readonly bytes: Uint8Array }
  /** The body in so many pieces, over so many milliseconds. */
  | { readonly kind: 'dribble'; readonly chunks: number; readonly over: number };

export interface Fault {
  readonly delay: Delay | undefined;
  /** Drawn anew for each call. */
  readonly breakage: ((chance: () => number) => Breakage) | undefined;
  /** All but the delay, as it is written: what the journal says of it. */
  readonly written: Omit<WrittenFault, 'delay'>;
}

const ENDINGS = ['disconnect', 'truncate', 'garbage', 'dribble'] as const;
const LONGEST_DRIBBLE = 3_600_000;
const GARBAGE_BYTES = 128;

export function readFault(fault: WrittenFault, at: Path, complaints: Complaints): Fault {
  const { delay, ...written } = fault;
  const [first, ...others] = ENDINGS.filter((ending) => fault[ending] !== undefined);
  for (const ending of others)
    complaints.add([...at, ending], `an answer breaks in one way: there is ${first} already`, 'key');
  const over = parseDuration(fault.dribble?.over ?? '0ms') ?? 0;
  if (over > LONGEST_DRIBBLE) complaints.add([...at, 'dribble', 'over'], 'an answer takes an hour at most');
  return {
    delay: delay === undefined ? undefined : readDelay(delay, [...at, 'delay'], complaints),
    breakage: first && ((chance) => breakageOf(fault, over, chance)),
    written,
  };
}

/** Whether the caller hears nothing at all, and so nothing happens. */
export const isSilent = ({ disconnect }: WrittenFault) => disconnect === 'before' || disconnect === 'reset';

function breakageOf(fault: WrittenFault, over: number, chance: () => number): Breakage {
  const { disconnect, truncate, dribble } = fault;
  if (isSilent(fault)) return { kind: 'silence', reset: disconnect === 'reset' };
  if (disconnect === 'middle') return { kind: 'cut', at: 'middle' };
  if (truncate !== undefined) return { kind: 'cut', at: truncate };
  if (dribble) return { kind: 'dribble', chunks: dribble.chunks, over };
  return { kind: 'garbage', bytes: drawGarbage(chance) };
}

/** No text in any encoding that JSON may have: it begins with a byte that nothing begins with. */
function drawGarbage(chance: () => number): Uint8Array {
  const bytes = Uint8Array.from({ length: GARBAGE_BYTES }, () => Math.floor(chance() * 256));
  bytes[0] = 0xff;
  return bytes;
}

/** Real time, whatever the clock of the environment says. Whether it has passed, or the caller has left before. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const leave = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve(true);
    }, milliseconds);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/** A delay as it is written: a duration, two to draw one between, or a middle with a long tail. */
export type WrittenDelay =
  string | { uniform: [string, string] } | { lognormal: { median: string; sigma: number } };

/** How long this call waits, in milliseconds. */
export type Delay = (chance: () => number) => number;

const LONGEST = 3_600_000;

export function readDelay(delay: WrittenDelay, at: Path, complaints: Complaints): Delay {
  const tooLong = (text: string, path: Path) => {
    const milliseconds = parseDuration(text) ?? 0;
    if (milliseconds > LONGEST) complaints.add(path, 'a call waits for an hour at most');
    return milliseconds;
  };
  if (typeof delay === 'string') {
    const fixed = tooLong(delay, at);
    return () => fixed;
  }
  if ('lognormal' in delay) {
    const median = tooLong(delay.lognormal.median, [...at, 'lognormal', 'median']);
    return (chance) => drawLogNormal(median, delay.lognormal.sigma, chance);
  }
  const [from, to] = delay.uniform;
  const [shortest, longest] = [parseDuration(from) ?? 0, tooLong(to, [...at, 'uniform', 1])];
  if (shortest > longest) complaints.add([...at, 'uniform'], 'the shortest must come first');
  return (chance) => (shortest === longest ? shortest : shortest + chance() * (longest - shortest));
}

/** Half of all are shorter than the median; the greater sigma, the longer are the longest (Box and Muller's draw). */
function drawLogNormal(median: number, sigma: number, chance: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  return Math.min(LONGEST, median * Math.exp(sigma * normal));
}
