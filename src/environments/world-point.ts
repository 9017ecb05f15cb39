import type { GeneratorMarks } from '../world/ids.ts';
import type { Tables } from '../world/world.ts';
import type { Agenda } from './agenda.ts';
import type { Layers, Seed } from './seeds.ts';

/** All that a world was at one moment; it does not change. */
export interface WorldPoint {
  readonly seed: Seed;
  readonly layers: Layers;
  readonly agenda: Agenda;
  readonly generator: GeneratorMarks;
}

/** The rows of then, to look at. */
export const tablesAt = ({ seed, layers }: WorldPoint): Tables => seed.tables(() => {}, layers);
