interface Waiting {
  readonly exchange: { readonly destroyed: boolean };
  readonly start: () => void;
}

/** How many requests start in one turn of the event loop. In between, the process reads what else has arrived. */
const MOST = 8;

/**
 * Starts a few requests in each turn of the event loop, one of each connection after the other. So a connection that
 * sends thousands of requests at once does not keep those of others waiting, and the requests that it abandons never
 * start.
 */
export class Turns {
  #started = 0;
  #isScheduled = false;
  /** By connection, in the order in which the connections have their turn. */
  readonly #waiting = new Map<object, Waiting[]>();

  /** Calls `start` at once or later; not at all if the exchange is destroyed before. */
  take(connection: object, exchange: Waiting['exchange'], start: () => void): void {
    this.#schedule();
    if (this.#waiting.size === 0 && this.#started < MOST) {
      this.#started += 1;
      return start();
    }
    const queue = this.#waiting.get(connection);
    if (queue) queue.push({ exchange, start });
    else this.#waiting.set(connection, [{ exchange, start }]);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#started = 0;
    for (const [connection, queue] of this.#waiting) {
      if (this.#started >= MOST) break;
      this.#waiting.delete(connection);
      const next = queue.findIndex(({ exchange }) => !exchange.destroyed);
      if (next < 0) continue;
      const { start } = queue[next]!;
      queue.splice(0, next + 1);
      if (queue.length > 0) this.#waiting.set(connection, queue);
      this.#started += 1;
      start();
    }
    if (this.#waiting.size > 0) this.#schedule();
  }
}
