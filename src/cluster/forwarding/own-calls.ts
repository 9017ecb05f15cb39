/** The calls that this process serves itself, until it leaves its environments to other processes. */
export class OwnCalls {
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  #leaving: Promise<void> | undefined;

  /** Set from the moment on in which the environments are left to others; resolves once they are. */
  get leaving(): Promise<void> | undefined {
    return this.#leaving;
  }

  async run<T>(serve: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await serve();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    }
  }

  /** Calls `giveUp` once the calls in flight are answered, or after `timeout` milliseconds. */
  leave(giveUp: () => Promise<void>, timeout: number): Promise<void> {
    return (this.#leaving ??= this.#answered(timeout).then(giveUp));
  }

  #answered(timeout: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#inFlight === 0) return resolve();
      const impatient = setTimeout(resolve, timeout);
      this.#onIdle = () => {
        clearTimeout(impatient);
        resolve();
      };
    });
  }
}
