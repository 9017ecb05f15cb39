import type { Contract } from '../contract/contract.ts';
import { readVersion } from '../documents.ts';
import type { Environment } from '../environments/environment.ts';
import { errandsOf, type Errand } from '../environments/errands.ts';
import type { Dispatch } from '../environments/surroundings.ts';
import type { Keys } from '../world/keys.ts';
import type { Courier } from './courier.ts';

export interface PostRoomSettings {
  keys: Keys;
  contract: Contract;
  /** Patterns of whom may be called; none: everybody. */
  allow: readonly string[];
  report: (message: string, cause: unknown) => void;
}

/** Hands on what environments have to send; who does it is loaded with the first call. */
export class PostRoom implements Dispatch {
  readonly #settings: PostRoomSettings;
  #courier: Promise<Courier> | undefined;
  /** Handed on once what happens now is over. */
  readonly #handing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(settings: PostRoomSettings) {
    this.#settings = settings;
  }

  notice(environment: Environment, errands: readonly Errand[]): void {
    if (this.#isClosed || errands.length === 0) return;
    const { era } = environment.news;
    const orders = errands.map((errand) => ({ environment, era, errand }));
    const handed = this.#hand((courier) => courier.take(orders)).finally(() => this.#handing.delete(handed));
    this.#handing.add(handed);
  }

  resume(environment: Environment): void {
    this.notice(environment, errandsOf(environment.tables));
  }

  async settled(environment: Environment): Promise<void> {
    void environment.tables; // what time makes due counts, too
    for (;;) {
      await Promise.all(this.#handing);
      const local = (await this.#courier)?.local(environment);
      if (this.#isClosed || (this.#handing.size === 0 && !local?.size)) return;
      if (local) await Promise.all(local);
    }
  }

  /** What is under way is cut off: it waits for the next start, where the environment is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#courier)?.close();
  }

  /** After what happens now: the answer to whoever caused it goes first. */
  async #hand(give: (courier: Courier) => void): Promise<void> {
    const courier = await (this.#courier ??= this.#load());
    await new Promise<void>((resolve) => setImmediate(resolve));
    give(courier);
  }

  async #load(): Promise<Courier> {
    const [{ Courier }, { Allowed }] = await Promise.all([import('./courier.ts'), import('./allowed.ts')]);
    const { allow, ...means } = this.#settings;
    return new Courier({
      ...means,
      allowed: new Allowed(allow),
      userAgent: `understudy/${readVersion()}`,
    });
  }
}
