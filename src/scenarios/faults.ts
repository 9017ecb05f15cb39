import { parseDuration, parseSignedDuration } from '@understudy/text/duration';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

/** A fault as the scenario file has it. */
export interface WrittenFault {
  delay?: WrittenDelay;
  disconnect?: 'before' | 'middle' | 'reset';
  truncate?: number;
  garbage?: true;
  dribble?: { chunks: number; over: string };
  lose?: true;
}

/** How an answer breaks on its way to the caller. Each protocol has its own implementation. */
export type Breakage =
  /** Nothing is sent. `reset`: the connection is reset. */
  | { readonly kind: 'silence'; readonly reset: boolean }
  /** The head and the first bytes of the body are sent, then the connection ends. */
  | { readonly kind: 'cut'; readonly at: number | 'middle' }
  /** These bytes replace the body. */
  | { readonly kind: 'garbage'; readonly bytes: Uint8Array }
  /** The body is sent in chunks; `over` in milliseconds. */
  | { readonly kind: 'dribble'; readonly chunks: number; readonly over: number };

export interface Fault {
  readonly delay: Delay | undefined;
  /** Drawn for each call. */
  readonly breakage: ((chance: () => number) => Breakage) | undefined;
  /** The operation has happened, but the caller hears that the service is unavailable. */
  readonly losesAnswer: boolean;
  /** Everything except the delay, as it is written, for the journal. */
  readonly written: Omit<WrittenFault, 'delay'>;
}

const BREAKAGES = ['disconnect', 'truncate', 'garbage', 'dribble', 'lose'] as const;
const MAX_DRIBBLE = 3_600_000;
const GARBAGE_BYTES = 128;

export function readFault(fault: WrittenFault, at: Path, complaints: Complaints): Fault {
  const { delay, ...written } = fault;
  const [first, ...others] = BREAKAGES.filter((ending) => fault[ending] !== undefined);
  for (const ending of others)
    complaints.add(
      [...at, ending],
      `a fault breaks the answer in one way only: this one has ${first} already`,
      'key',
    );
  const over = parseDuration(fault.dribble?.over ?? '0ms') ?? 0;
  if (over > MAX_DRIBBLE) complaints.add([...at, 'dribble', 'over'], 'an answer takes an hour at most');
  return {
    delay: delay === undefined ? undefined : readDelay(delay, [...at, 'delay'], complaints),
    breakage: first && first !== 'lose' ? (chance) => breakageOf(fault, over, chance) : undefined,
    losesAnswer: first === 'lose',
    written,
  };
}

/** Whether nothing is sent at all. */
export const isSilent = ({ disconnect }: WrittenFault) => disconnect === 'before' || disconnect === 'reset';

function breakageOf(fault: WrittenFault, over: number, chance: () => number): Breakage {
  const { disconnect, truncate, dribble } = fault;
  if (isSilent(fault)) return { kind: 'silence', reset: disconnect === 'reset' };
  if (disconnect === 'middle') return { kind: 'cut', at: 'middle' };
  if (truncate !== undefined) return { kind: 'cut', at: truncate };
  if (dribble) return { kind: 'dribble', chunks: dribble.chunks, over };
  return { kind: 'garbage', bytes: drawGarbage(chance) };
}

/** Not valid in any text encoding: no encoding starts with 0xff. */
function drawGarbage(chance: () => number): Uint8Array {
  const bytes = Uint8Array.from({ length: GARBAGE_BYTES }, () => Math.floor(chance() * 256));
  bytes[0] = 0xff;
  return bytes;
}

/** Waits in real time. Resolves to false if the caller has left. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve(true);
    }, milliseconds);
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** A delay as the scenario file has it: a duration, a range, or a median with a long tail. */
type WrittenDelay = string | { uniform: [string, string] } | { lognormal: { median: string; sigma: number } };

/** Draws the delay of one call, in milliseconds. */
type Delay = (chance: () => number) => number;

const MAX_DELAY = 3_600_000;

function readDelay(delay: WrittenDelay, at: Path, complaints: Complaints): Delay {
  const read = (text: string, path: Path) => {
    const milliseconds = parseDuration(text) ?? 0;
    if (milliseconds > MAX_DELAY) complaints.add(path, 'a call waits for an hour at most');
    return milliseconds;
  };
  if (typeof delay === 'string') {
    const fixed = read(delay, at);
    return () => fixed;
  }
  if ('lognormal' in delay) {
    const median = read(delay.lognormal.median, [...at, 'lognormal', 'median']);
    return (chance) => drawLogNormal(median, delay.lognormal.sigma, chance);
  }
  const [from, to] = delay.uniform;
  const [shortest, longest] = [parseDuration(from) ?? 0, read(to, [...at, 'uniform', 1])];
  if (shortest > longest) complaints.add([...at, 'uniform'], 'the shortest must come first');
  return (chance) => (shortest === longest ? shortest : shortest + chance() * (longest - shortest));
}

/**
 * Half of all delays are shorter than the median; a greater sigma makes the longest longer (Box-Muller transform).
 */
function drawLogNormal(median: number, sigma: number, chance: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  return Math.min(MAX_DELAY, median * Math.exp(sigma * normal));
}

/** How a webhook delivery fails, as the scenario file has it. */
export interface WrittenDeliver {
  drop?: true;
  delay?: string;
  hold?: number;
  duplicate?: number;
  signature?: 'wrong' | 'missing';
  secret?: string;
  timestamp?: string;
}

export interface Deliver {
  /** Never sent and never retried. */
  readonly drop: boolean;
  /** Milliseconds on the environment's clock before the first attempt. */
  readonly delay: number | undefined;
  /** The number of later deliveries to the endpoint that go first. */
  readonly hold: number | undefined;
  /** The number of additional deliveries. */
  readonly duplicate: number;
  readonly signature: 'wrong' | 'missing' | undefined;
  /** Signs with this secret instead of the endpoint's; `rotated`: with a secret that nobody knows. */
  readonly secret: string | undefined;
  /** Milliseconds added to the timestamp. */
  readonly timestamp: number | undefined;
}

const POSTPONING = ['drop', 'delay', 'hold'] as const;
const CENTURY = 36_500 * 86_400_000;
/** RFC 3339 ends with the year 9999. */
const TOO_FAR = 'it is a hundred years (36500d) away at most';
const SIGNING = ['signature', 'secret'] as const;

export function readDeliver(written: WrittenDeliver, at: Path, complaints: Complaints): Deliver {
  const { drop = false, delay, hold, duplicate = 0, signature, secret, timestamp } = written;
  const [first, ...others] = POSTPONING.filter((member) => written[member] !== undefined);
  for (const member of others) complaints.add([...at, member], takesOne(POSTPONING, first), 'key');
  if (drop && Object.keys(written).length > 1)
    complaints.add([...at, 'drop'], 'a dropped delivery takes no other member', 'key');
  const [way, ...further] = SIGNING.filter((member) => written[member] !== undefined);
  for (const member of further) complaints.add([...at, member], takesOne(SIGNING, way), 'key');
  const [wait, off] = [parseSignedDuration(delay ?? ''), parseSignedDuration(timestamp ?? '')];
  if ((wait ?? 0) > CENTURY) complaints.add([...at, 'delay'], TOO_FAR);
  if (Math.abs(off ?? 0) > CENTURY) complaints.add([...at, 'timestamp'], TOO_FAR);
  return {
    drop,
    delay: wait,
    hold,
    duplicate,
    signature,
    secret,
    timestamp: off,
  };
}

const takesOne = (members: readonly string[], given = '') =>
  `a delivery takes only one of ${members.join(', ')}: this one has ${given} already`;
