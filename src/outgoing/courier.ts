import type { Environment } from '../environments/environment.ts';
import { isDue, type Errand } from '../environments/errands.ts';
import type { Era } from '../environments/news.ts';
import { plain } from '../world/cascade.ts';
import type { RowBase } from '../world/seed.ts';
import { KINDS } from './kinds.ts';
import type { Means } from './kind.ts';
import { Lanes } from './lanes.ts';
import { Records } from './record.ts';

/** A call to be made, and the time of the environment that it belongs to. */
export interface Order {
  environment: Environment;
  era: Era;
  errand: Errand;
}

/** What goes on in one time of an environment: what hangs from before a reset is cut off, and delays nothing after it. */
class Round {
  readonly means: Means;
  readonly lanes = new Lanes();
  /** What runs or waits, by its id, and whether it was asked for again meanwhile. */
  readonly known = new Map<string, { again: boolean }>();
  /** What needs nobody else, and so ends soon. */
  readonly local = new Set<Promise<void>>();

  constructor(means: Means, era: Era) {
    this.means = { ...means, stopping: AbortSignal.any([means.stopping, era.signal]) };
  }
}

/**
 * Makes the calls that wait, some at once in each lane, and has written down how they went. One that is cut off by the
 * end of the process goes on waiting; one whose environment was put back meanwhile is forgotten.
 */
export class Courier {
  readonly #means: Means;
  readonly #stop = new AbortController();
  readonly #records = new Records();
  readonly #underWay = new Set<Promise<void>>();
  readonly #rounds = new WeakMap<Era, Round>();

  constructor(means: Omit<Means, 'stopping'>) {
    this.#means = { ...means, stopping: this.#stop.signal };
  }

  take(orders: readonly Order[]): void {
    for (const order of orders) this.#begin(order);
  }

  /** What is under way there and needs nobody else. */
  local({ news }: Environment): ReadonlySet<Promise<void>> | undefined {
    return this.#rounds.get(news.era)?.local;
  }

  /** Waits for what is under way, and cuts it off. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#underWay);
  }

  #begin(order: Order): void {
    const row = this.#waiting(order);
    if (!row) return;
    const { lanes, known, local } = this.#roundOf(order.era);
    const { collection, id } = order.errand;
    const running = known.get(id);
    if (running) return void (running.again = true);
    const state = { again: false };
    known.set(id, state);
    const { tables } = order.environment;
    const group = KINDS[collection].isLocal(row, tables) ? local : this.#underWay;
    const going = lanes
      .run(KINDS[collection].laneOf(row, tables), () => this.#go(order))
      .catch((thrown: unknown) => this.#means.report(`call ${id}`, thrown))
      .finally(() => {
        known.delete(id);
        group.delete(going);
        if (state.again) this.#begin(order);
      });
    group.add(going);
  }

  async #go(order: Order): Promise<void> {
    const row = this.#waiting(order);
    if (!row) return;
    const { environment, errand } = order;
    const { means } = this.#roundOf(order.era);
    const outcome = await KINDS[errand.collection].attempt(row, environment, means);
    const counts = () => this.#waiting(order) !== undefined;
    if (counts()) await this.#records.add(environment, { errand, outcome, counts });
  }

  /** Undefined where it is not to be made any more. */
  #waiting({ environment, era, errand: { collection, id } }: Order): RowBase | undefined {
    if (era.over || this.#stop.signal.aborted) return undefined;
    const row = plain(environment.tables, collection).find(id);
    return row && isDue(collection, row) ? row : undefined;
  }

  #roundOf(era: Era): Round {
    const round = this.#rounds.get(era) ?? new Round(this.#means, era);
    this.#rounds.set(era, round);
    return round;
  }
}
