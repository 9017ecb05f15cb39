import type { Generator } from '../../src/state/ids.ts';

export type FaultKind =
  | 'kill replica'
  | 'pause replica'
  | 'kill database'
  | 'pause database'
  | 'cut database link'
  | 'stall database link'
  | 'deafen database link'
  | 'cut replica link'
  | 'stall replica link'
  | 'deafen replica link';

/** Times are in milliseconds. */
export interface Fault {
  kind: FaultKind;
  /** Which replica. */
  replica: number;
  start: number;
  length: number;
  /** For a replica that starts again: how its clock differs from that of the machine. */
  skew: Skew;
}

export interface Skew {
  /** Seconds by which the clock is wrong. */
  offset: number;
  /** Seconds that pass on it in one second. */
  rate: number;
}

/** How often each kind is drawn, in proportion. */
const WEIGHTS: Readonly<Record<FaultKind, number>> = {
  'kill replica': 4,
  'pause replica': 5,
  'kill database': 2,
  'pause database': 2,
  'cut database link': 3,
  'stall database link': 3,
  'deafen database link': 3,
  'cut replica link': 2,
  'stall replica link': 2,
  'deafen replica link': 2,
};

interface Scope {
  faults: number;
  replicas: number;
  /** Milliseconds. */
  lease: number;
}

/** Faults of random kinds and lengths. Several may last at the same time, but only one of them concerns the same thing. */
export function scheduleOf(generator: Generator, { faults, replicas, lease }: Scope): Fault[] {
  const busyUntil = new Map<string, number>();
  const all: Fault[] = [];
  for (let start = lease; all.length < faults; start += generator.draw() * 1.5 * lease) {
    const kind = drawKind(generator);
    const replica = Math.floor(generator.draw() * replicas);
    const length = (0.1 + generator.draw() * 2.9) * lease;
    const skew = drawSkew(generator);
    const concerned = concernedBy({ kind, replica });
    if (start < (busyUntil.get(concerned) ?? 0)) continue;
    // After its end, the same thing has time to recover.
    busyUntil.set(concerned, start + length + lease);
    all.push({ kind, replica, start: Math.round(start), length: Math.round(length), skew });
  }
  return all;
}

function drawKind(generator: Generator): FaultKind {
  const kinds = Object.entries(WEIGHTS) as [FaultKind, number][];
  let left = generator.draw() * kinds.reduce((sum, [, weight]) => sum + weight, 0);
  return kinds.find(([, weight]) => (left -= weight) < 0)![0];
}

/** Leases tolerate clocks that run a tenth too fast or too slow. */
const drawSkew = (generator: Generator): Skew => ({
  offset: Math.round((generator.draw() - 0.5) * 7200),
  rate: Math.round(95 + generator.draw() * 10) / 100,
});

/** Two faults of the same thing never overlap. */
export function concernedBy({ kind, replica }: Pick<Fault, 'kind' | 'replica'>): string {
  if (kind === 'kill database' || kind === 'pause database') return 'database';
  return `${kind.replace(/^\w+ /, '')} ${replica}`;
}

export const shownFault = ({ kind, replica, start, length }: Fault): string =>
  `${String(start).padStart(7)} ms: ${kind}${kind.endsWith('database') ? '' : ` ${replica}`} for ${length} ms`;
