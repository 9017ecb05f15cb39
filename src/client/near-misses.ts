import type { NotVerified } from './errors.ts';
import type { NearMiss } from './types.ts';

/** Of too few, the calls that came nearest; of too many, which they are. */
export function describe({ count, expected, matching, nearest }: NotVerified): string {
  const { times = Infinity, at_most: most = Infinity } = expected;
  if (count > Math.min(times, most)) return `  those that match: ${matching.join(', ')}`;
  return nearestIn(nearest);
}

/** Empty where there is none. */
export const nearestIn = (nearest: readonly NearMiss[]): string =>
  nearest.length === 0 ? '' : ['the nearest:', ...nearest.map(blockOf)].join('\n');

/** What was expected of each field that differs, and under it what was there. */
const blockOf = ({ id, method, path, status, differences }: NearMiss) =>
  [`  ${method} ${path} ${status ?? ''} (${id})`, ...differences.map(sideBySide)].join('\n');

function sideBySide({ field, expected, actual }: NearMiss['differences'][number]): string {
  const indent = ' '.repeat(field.length);
  return [
    `    ${field}  expected ${JSON.stringify(expected)}`,
    `    ${indent}  was      ${actual === undefined ? 'absent' : JSON.stringify(actual)}`,
  ].join('\n');
}
