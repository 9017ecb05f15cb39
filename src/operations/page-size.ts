import type { World } from '../world/world.ts';

const MOST = 100;
const MOST_FOUND = 30;

/** None or 0 is the environment's default; more than the most is the most (reference: tenancy-and-errors 11). */
export function pageSize(wanted: number | undefined, world: World, most = MOST): number {
  return Math.min(wanted || world.settings.get('settings').default_page_size, most);
}

/** Searches show fewer rows than lists. */
export const searchPageSize = (wanted: number | undefined, world: World) =>
  pageSize(wanted, world, MOST_FOUND);
