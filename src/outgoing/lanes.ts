/** Of one host, at once. */
const MOST_AT_ONCE = 4;

interface Lane {
  busy: number;
  waiting: (() => void)[];
}

/** Lets some run at once for each host, in order; a dead host holds back nobody else. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #known = new Set<string>();

  /** Does nothing for what is running or waiting already. */
  async run({ id, host }: { id: string; host: string }, task: () => Promise<void>): Promise<void> {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const lane = this.#laneOf(host);
    if (lane.busy >= MOST_AT_ONCE) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.busy += 1;
    try {
      await task();
    } finally {
      this.#known.delete(id);
      this.#leave(host, lane);
    }
  }

  #laneOf(host: string): Lane {
    const lane = this.#lanes.get(host) ?? { busy: 0, waiting: [] };
    this.#lanes.set(host, lane);
    return lane;
  }

  /** The place goes to the next. */
  #leave(host: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next) return next();
    lane.busy -= 1;
    if (lane.busy === 0) this.#lanes.delete(host);
  }
}
