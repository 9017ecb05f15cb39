import type { Environment } from '../environments/environment.ts';
import type { Dispatch } from '../environments/surroundings.ts';
import type { Keys } from '../world/keys.ts';
import type { Courier } from './courier.ts';

/** Hands on what environments have to send; who does it is loaded with the first call. */
export class PostRoom implements Dispatch {
  readonly #keys: Keys;
  readonly #report: (message: string, cause: unknown) => void;
  #courier: Promise<Courier> | undefined;
  #isClosed = false;

  constructor(keys: Keys, report: (message: string, cause: unknown) => void) {
    this.#keys = keys;
    this.#report = report;
  }

  notice(environment: Environment, ids: readonly string[]): void {
    if (this.#isClosed || ids.length === 0) return;
    const { era } = environment.news;
    const errands = ids.map((id) => ({ environment, era, id }));
    this.#courier ??= this.#load();
    void this.#courier.then((courier) => courier.take(errands));
  }

  resume(environment: Environment): void {
    const waiting = environment.tables.outgoing_calls.list('status', 'PENDING');
    this.notice(
      environment,
      waiting.map(({ id }) => id),
    );
  }

  /** What is under way is cut off: it waits for the next start, where the environment is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#courier)?.close();
  }

  async #load(): Promise<Courier> {
    const { Courier } = await import('./courier.ts');
    return new Courier(this.#keys, this.#report);
  }
}
