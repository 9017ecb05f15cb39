import { parseDuration } from '../world/duration.ts';
import type { Complaints, Path } from './complaints.ts';

/** A fault as it is written: a duration, or two to draw one between. */
export interface Fault {
  delay: string | { uniform: [string, string] };
}

/** Shortest and longest, in milliseconds. */
export type Delay = readonly [number, number];

const LONGEST = 3_600_000;

export function readDelay({ delay }: Fault, at: Path, complaints: Complaints): Delay {
  const [from, to] = typeof delay === 'string' ? [delay, delay] : delay.uniform;
  const [shortest, longest] = [parseDuration(from) ?? 0, parseDuration(to) ?? 0];
  if (shortest > longest) complaints.add([...at, 'delay', 'uniform'], 'the shortest must come first');
  if (longest > LONGEST) complaints.add([...at, 'delay'], 'a call waits for an hour at most');
  return [shortest, longest];
}

/** Draws only where there is something to choose. */
export const drawDelay = ([shortest, longest]: Delay, chance: () => number) =>
  shortest === longest ? shortest : shortest + chance() * (longest - shortest);

/** Real time, whatever the clock of the world says. */
export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
