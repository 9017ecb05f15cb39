import type { Stage } from '../scenarios/script.ts';
import type { TimedWorld } from './timed-world.ts';

/** What scenarios may do in a world. */
export const stageOf = (world: TimedWorld): Stage => ({
  chance: () => world.chance(),
  now: () => world.clock.now(),
  change: (edits) => world.edits.change(edits),
  putBack: (changes, clock) => world.edits.putBack(changes, clock),
});
