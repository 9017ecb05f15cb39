import type { Writable } from 'node:stream';

/** Whether an exchange is over: answered, or left by its caller. */
export class Leaving {
  isOver = false;
  readonly #sink: Writable;
  #signal: AbortSignal | undefined;

  constructor(sink: Writable) {
    this.#sink = sink;
  }

  /** Made when it is first asked for: few calls have anything to wait for. */
  get signal(): AbortSignal {
    this.#signal ??= this.#make();
    return this.#signal;
  }

  #make(): AbortSignal {
    const leaving = new AbortController();
    if (this.isOver) leaving.abort();
    else this.#sink.once('close', () => leaving.abort());
    return leaving.signal;
  }
}
