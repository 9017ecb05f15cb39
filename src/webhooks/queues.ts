export interface QueueOptions {
  name: string;
  /** Tasks that run at once. */
  atOnce: number;
}

interface Queue {
  busy: number;
  waiting: (() => void)[];
}

/** Runs tasks in order, with a limit for each queue. A blocked queue does not delay others. */
export class Queues {
  readonly #queues = new Map<string, Queue>();

  async run({ name, atOnce }: QueueOptions, task: () => Promise<void>): Promise<void> {
    const queue = this.#queueOf(name);
    if (queue.busy >= atOnce) await new Promise<void>((resolve) => queue.waiting.push(resolve));
    else queue.busy += 1;
    try {
      await task();
    } finally {
      this.#leave(name, queue);
    }
  }

  #queueOf(name: string): Queue {
    const queue = this.#queues.get(name) ?? { busy: 0, waiting: [] };
    this.#queues.set(name, queue);
    return queue;
  }

  #leave(name: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) return next();
    queue.busy -= 1;
    if (queue.busy === 0) this.#queues.delete(name);
  }
}
