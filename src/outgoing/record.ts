import type { Environment } from '../environments/environment.ts';
import type { Errand } from '../environments/errands.ts';
import { plain } from '../world/cascade.ts';
import type { World } from '../world/world.ts';
import { KINDS } from './kinds.ts';
import type { Outcome } from './kind.ts';

/** How an errand went, to be written down. */
export interface Ended {
  errand: Errand;
  outcome: Outcome;
  /** Whether it still counts: the rows may have been put back by then. */
  counts: () => boolean;
}

/** Calls are made on the service's own account, not on that of a caller. */
const OWN = { baseUrl: 'http://localhost' };

/** Writes down what ends in one turn of the event loop as one commit. */
export class Records {
  readonly #waiting = new Map<Environment, { ended: Ended[]; written: Promise<void> }>();

  /** Resolves once it is in the change log. */
  add(environment: Environment, ended: Ended): Promise<void> {
    const known = this.#waiting.get(environment);
    if (known) {
      known.ended.push(ended);
      return known.written;
    }
    const batch = [ended];
    const written = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#waiting.delete(environment);
      write(environment, batch);
    });
    this.#waiting.set(environment, { ended: batch, written });
    return written;
  }
}

function write(environment: Environment, ended: readonly Ended[]): void {
  const standing = ended.filter(({ counts }) => counts());
  if (standing.length === 0) return;
  environment.transact(OWN, (world) => {
    for (const each of standing) writeOne(world, each);
  });
}

function writeOne(world: World, { errand: { collection, id }, outcome }: Ended): void {
  const table = plain(world, collection);
  const row = table.find(id) as { id: string; attempts: object[] } | undefined;
  if (!row) return;
  const time = world.clock.iso();
  const attempts = [...row.attempts, ...outcome.attempts.map((attempt) => ({ time, ...attempt }))];
  const kind = KINDS[collection];
  const tried = kind.after({ ...row, attempts } as never, outcome, world.clock.ms) as typeof row;
  table.replace(tried);
  kind.follow?.(world, tried as never, outcome);
}
