import pLimit, { type LimitFunction } from 'p-limit';

export interface QueueOptions {
  name: string;
  /** Tasks that run at once. */
  atOnce: number;
}

/** Runs tasks in order, with a limit for each queue. A blocked queue does not delay others. */
export class Queues {
  readonly #limits = new Map<string, LimitFunction>();

  async run({ name, atOnce }: QueueOptions, task: () => Promise<void>): Promise<void> {
    const limit = this.#limits.get(name) ?? pLimit(atOnce);
    if (limit.concurrency !== atOnce) limit.concurrency = atOnce;
    this.#limits.set(name, limit);
    try {
      await limit(task);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(name);
    }
  }
}
