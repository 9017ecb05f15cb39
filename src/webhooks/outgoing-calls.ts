import type { Contract } from '../contract/contract.ts';
import { readVersion } from '../contract/documents.ts';
import { dueCallsOf, type CallingEnvironment, type DueCall } from './due-calls.ts';
import type { Keys } from '../state/keys.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { CallKinds, Dispatcher } from './dispatcher.ts';

export type LoadKinds = () => Promise<CallKinds>;

interface OutgoingCallsSettings {
  keys: Keys;
  contract: Contract;
  /** Patterns of hosts that may be called; empty: every host. */
  allow: readonly string[];
  report: (message: string, cause: unknown) => void;
  metrics: Metrics;
  /** The kinds of calls that packages add. */
  kinds: readonly LoadKinds[];
}

/** Sends the calls that environments queue. The dispatcher is loaded with the first call. */
export class OutgoingCalls {
  readonly #settings: OutgoingCallsSettings;
  #dispatcher: Promise<Dispatcher> | undefined;
  /** Calls that are not yet handed to the dispatcher. */
  readonly #handovers = new Set<Promise<void>>();
  #isClosed = false;
  /** Where this process answers, once its port is open. */
  ownAddress: string | undefined;

  constructor(settings: OutgoingCallsSettings) {
    this.#settings = settings;
  }

  /** Makes due calls after the current event loop turn. */
  dispatch(environment: CallingEnvironment, calls: readonly DueCall[]): void {
    if (this.#isClosed || calls.length === 0) return;
    const { lifetime } = environment.activity;
    const queued = calls.map((call) => ({ environment, lifetime, call }));
    const handover = this.#handOver((dispatcher) => dispatcher.enqueue(queued)).finally(() =>
      this.#handovers.delete(handover),
    );
    this.#handovers.add(handover);
  }

  /** Like `dispatch` for all calls that are due in the environment, for example after a restart. */
  resume(environment: CallingEnvironment): void {
    this.dispatch(environment, dueCallsOf(environment.tables));
  }

  /** Resolves once all due calls that stay inside this process are made. */
  async settled(environment: CallingEnvironment): Promise<void> {
    void environment.tables; // runs what the clock has made due
    for (;;) {
      await Promise.all(this.#handovers);
      const local = (await this.#dispatcher)?.localCalls(environment);
      if (this.#isClosed || (this.#handovers.size === 0 && !local?.size)) return;
      if (local) await Promise.all(local);
    }
  }

  /**
   * Aborts calls that are under way. In an environment that is kept on disk they start again with the next process.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#dispatcher)?.close();
  }

  /** Waits until the current event loop turn is over, so that the caller's response goes out first. */
  async #handOver(enqueue: (dispatcher: Dispatcher) => void): Promise<void> {
    const dispatcher = await (this.#dispatcher ??= this.#load());
    await new Promise<void>((resolve) => setImmediate(resolve));
    enqueue(dispatcher);
  }

  async #load(): Promise<Dispatcher> {
    const { allow, kinds, ...context } = this.#settings;
    const [{ Dispatcher }, { AllowedHosts }, ...added] = await Promise.all([
      import('./dispatcher.ts'),
      import('./allowed-hosts.ts'),
      ...kinds.map((load) => load()),
    ]);
    return new Dispatcher(
      {
        ...context,
        ownAddress: () => this.ownAddress,
        allowed: new AllowedHosts(allow),
        userAgent: `understudy/${readVersion()}`,
      },
      Object.assign({}, ...added),
    );
  }
}
