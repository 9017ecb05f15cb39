/** `since`: milliseconds on the environment's clock. */
export interface CountedCalls {
  readonly since: number;
  readonly calls: number;
}

export const NO_CALLS: CountedCalls = { since: 0, calls: 0 };

/** Counts the calls of one window. A window opens with the first call after the last window closed. */
export class RateWindow {
  #counted = NO_CALLS;

  /** Counts the call, or returns the milliseconds until the next window can open. */
  admit({ requests, length }: { requests: number; length: number }, now: number): number | undefined {
    const { since, calls } = this.#counted;
    const isOpen = calls > 0 && now >= since && now < since + length;
    if (isOpen && calls >= requests) return since + length - now;
    this.#counted = isOpen ? { since, calls: calls + 1 } : { since: now, calls: 1 };
    return undefined;
  }

  save(): CountedCalls {
    return this.#counted;
  }

  restore(counted: CountedCalls): void {
    this.#counted = counted;
  }
}
