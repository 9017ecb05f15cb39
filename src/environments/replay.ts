import type { Commit } from '../store/change-log.ts';
import type { DurableWorld } from '../store/store.ts';
import type { Clock } from '../world/clock.ts';
import type { Marks } from './durable-log.ts';
import { Seed } from './seeds.ts';
import type { WorldState } from './world-state.ts';

export interface Replayed {
  state: WorldState;
  clock: Clock;
  fixture: Seed;
}

/** What a log knows happens again, in order. */
export function replay({ snapshot, commits }: DurableWorld, world: Replayed): void {
  if (snapshot) restart(world, new Seed(snapshot.collections), snapshot.marks as Marks);
  for (const commit of commits) repeat(world, commit);
}

function repeat(world: Replayed, { base, changes, marks }: Commit): void {
  if (base) restart(world, base === 'fixture' ? world.fixture : new Seed(base), marks as Marks);
  world.state.apply(changes);
  recall(world, marks as Marks);
}

function restart(world: Replayed, seed: Seed, marks: Marks): void {
  world.state.start(seed);
  recall(world, marks);
}

function recall({ state, clock }: Replayed, marks: Marks): void {
  state.generator = marks.generator;
  clock.set(marks.clock);
}
