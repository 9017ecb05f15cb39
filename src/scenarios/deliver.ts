import { parseDuration } from '../text/duration.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

/** How the delivery of a webhook goes wrong, as it is written. */
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
  /** It is never sent, and never tried again. */
  readonly drop: boolean;
  /** Milliseconds on the clock of the environment before it is sent. */
  readonly delay: number | undefined;
  /** So many later deliveries to the same endpoint go first. */
  readonly hold: number | undefined;
  /** How often it is sent once more than it should be. */
  readonly duplicate: number;
  readonly signature: 'wrong' | 'missing' | undefined;
  /** What it is signed with in the place of the endpoint's own; `rotated`: one that nobody knows yet. */
  readonly secret: string | undefined;
  /** Milliseconds by which its timestamp is off. */
  readonly timestamp: number | undefined;
}

const WAITING = ['drop', 'delay', 'hold'] as const;
const CENTURY = 36_500 * 86_400_000;
/** Beyond the year 9999 no time can be written down. */
const TOO_FAR = 'it is a hundred years (36500d) away at most';
const SIGNING = ['signature', 'secret'] as const;

export function readDeliver(written: WrittenDeliver, at: Path, complaints: Complaints): Deliver {
  const { drop = false, delay, hold, duplicate = 0, signature, secret, timestamp } = written;
  const [first, ...others] = WAITING.filter((member) => written[member] !== undefined);
  for (const member of others)
    complaints.add([...at, member], `it waits in one way, or never comes: there is ${first} already`, 'key');
  if (drop && Object.keys(written).length > 1)
    complaints.add([...at, 'drop'], 'what is never sent goes wrong in no other way', 'key');
  const [way, ...further] = SIGNING.filter((member) => written[member] !== undefined);
  for (const member of further)
    complaints.add([...at, member], `it is signed in one way: there is ${way} already`, 'key');
  const [wait, off] = [readOffset(delay), readOffset(timestamp)];
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

/** `-10m` is ten minutes ago, `10m` or `+10m` in ten minutes. */
function readOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const distance = parseDuration(text.replace(/^[+-]/, ''));
  return distance !== undefined && text.startsWith('-') ? -distance : distance;
}
