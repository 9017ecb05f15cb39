import type { Contract } from '../contract/contract.ts';
import { readVersion } from '../documents.ts';
import type { Environment } from '../environment/environment.ts';
import { dueCallsOf, type DueCall } from '../environment/due-calls.ts';
import type { CallDispatcher } from '../environment/shared.ts';
import type { Keys } from '../environment/keys.ts';
import type { Dispatcher } from './dispatcher.ts';

export interface OutgoingCallsSettings {
  keys: Keys;
  contract: Contract;
  /** Patterns of whom may be called; none: everybody. */
  allow: readonly string[];
  report: (message: string, cause: unknown) => void;
}

/** Hands on what environments have to send; who does it is loaded with the first call. */
export class OutgoingCalls implements CallDispatcher {
  readonly #settings: OutgoingCallsSettings;
  #dispatcher: Promise<Dispatcher> | undefined;
  /** Handed on once what happens now is over. */
  readonly #handing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(settings: OutgoingCallsSettings) {
    this.#settings = settings;
  }

  dispatch(environment: Environment, calls: readonly DueCall[]): void {
    if (this.#isClosed || calls.length === 0) return;
    const { lifetime } = environment.activity;
    const queued = calls.map((call) => ({ environment, lifetime, call }));
    const handed = this.#hand((dispatcher) => dispatcher.take(queued)).finally(() =>
      this.#handing.delete(handed),
    );
    this.#handing.add(handed);
  }

  resume(environment: Environment): void {
    this.dispatch(environment, dueCallsOf(environment.tables));
  }

  async settled(environment: Environment): Promise<void> {
    void environment.tables; // what time makes due counts, too
    for (;;) {
      await Promise.all(this.#handing);
      const local = (await this.#dispatcher)?.local(environment);
      if (this.#isClosed || (this.#handing.size === 0 && !local?.size)) return;
      if (local) await Promise.all(local);
    }
  }

  /** What is under way is cut off: it waits for the next start, where the environment is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#dispatcher)?.close();
  }

  /** After what happens now: the answer to whoever caused it goes first. */
  async #hand(give: (dispatcher: Dispatcher) => void): Promise<void> {
    const dispatcher = await (this.#dispatcher ??= this.#load());
    await new Promise<void>((resolve) => setImmediate(resolve));
    give(dispatcher);
  }

  async #load(): Promise<Dispatcher> {
    const [{ Dispatcher }, { AllowedHosts }] = await Promise.all([
      import('./dispatcher.ts'),
      import('./allowed-hosts.ts'),
    ]);
    const { allow, ...context } = this.#settings;
    return new Dispatcher({
      ...context,
      allowed: new AllowedHosts(allow),
      userAgent: `understudy/${readVersion()}`,
    });
  }
}
