import { parseDuration } from '../text/duration.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

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

const takesOne = (members: readonly string[], given = '') =>
  `a delivery takes only one of ${members.join(', ')}: this one has ${given} already`;

/** `-10m` is ten minutes ago; `10m` and `+10m` are in ten minutes. */
function readOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const distance = parseDuration(text.replace(/^[+-]/, ''));
  return distance !== undefined && text.startsWith('-') ? -distance : distance;
}
