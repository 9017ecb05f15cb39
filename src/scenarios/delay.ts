import { parseDuration } from '../world/duration.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

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
