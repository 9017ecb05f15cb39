import type { RpcResponse } from './details.ts';

/** Whether an exchange is over: answered, or left by its caller. */
export class Leaving {
  isOver = false;
  readonly #response: RpcResponse;
  #signal: AbortSignal | undefined;

  constructor(response: RpcResponse) {
    this.#response = response;
  }

  /** Made when it is first asked for: few calls have anything to wait for. */
  get signal(): AbortSignal {
    this.#signal ??= this.#make();
    return this.#signal;
  }

  #make(): AbortSignal {
    const leaving = new AbortController();
    if (this.isOver) leaving.abort();
    else this.#response.once('close', () => leaving.abort());
    return leaving.signal;
  }
}
