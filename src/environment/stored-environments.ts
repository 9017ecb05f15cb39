import { StoreUnavailable } from '../store/change-log.ts';
import type { EnvironmentLog, Store, StoredNames } from '../store/storage.ts';
import type { Environment } from './environment.ts';
import type { Marks, Origin } from './marks.ts';
import { NotKept } from './not-kept.ts';

export interface StoredEnvironmentsHost {
  /** Makes an environment without what is stored. `origin`: undefined if nothing is stored. */
  make: (name: string, origin: Origin | undefined) => Environment;
  /** Called with each environment that has the state of the store; it may replace one that was lost. */
  onOpened: (environment: Environment) => void;
}

/** The environments of the store. Other processes may own some of them, or take them over. */
export class StoredEnvironments {
  readonly #store: Store;
  readonly #known: ReadonlyMap<string, Environment>;
  readonly #report: (message: string, cause: unknown) => void;
  #host: StoredEnvironmentsHost | undefined;
  /** The names of those that this process does not own, or not yet. */
  #elsewhere: ReadonlySet<string> = new Set();
  #following: Promise<void> | undefined;
  #isStopped = false;

  /** `known`: the environments of this process. */
  constructor(
    store: Store,
    known: ReadonlyMap<string, Environment>,
    report: (message: string, cause: unknown) => void,
  ) {
    this.#store = store;
    this.#known = known;
    this.#report = report;
  }

  /** Starts to store an environment from a call: it must be stored before the answer. */
  async keep(environment: Environment): Promise<void> {
    try {
      await environment.attachLog(await this.#store.open(environment.name), 'must succeed');
    } catch (thrown) {
      throw NotKept.of(thrown);
    }
  }

  /** `default` starts even if the disk fails. If another process owns it, it refuses calls until it can be opened. */
  async keepDefault(environment: Environment): Promise<void> {
    try {
      await environment.attachLog(await this.#store.open(environment.name), 'may fail');
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
      environment.log.refuse(environment.name, thrown);
    }
  }

  /** Opens what is stored, now and whenever another process has left something. */
  async open(host: StoredEnvironmentsHost): Promise<void> {
    this.#host = host;
    for (const name of await this.#store.envs()) await this.#openFree(name);
    this.#store.watch((names) => {
      this.#follow(names).catch((thrown: unknown) => this.#report('what another process has left', thrown));
    });
  }

  /** Resolves once nothing is opened any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#following?.catch(() => {}); // it is reported where it was started
  }

  /** Asks the store, because another process may have just created or dropped the environment. */
  async exists(name: string): Promise<boolean> {
    try {
      const isThere = (await this.#store.peers?.locate(name)) !== undefined;
      if (!isThere) this.noteAbsent(name);
      return isThere;
    } catch (thrown) {
      throw NotKept.of(thrown);
    }
  }

  /** The store has just said that there is no environment of this name; the last list may be older. */
  noteAbsent(name: string): void {
    if (this.#elsewhere.has(name))
      this.#elsewhere = new Set([...this.#elsewhere].filter((each) => each !== name));
  }

  isElsewhere(name: string): boolean {
    return this.#elsewhere.has(name) && !this.#known.has(name);
  }

  /** Throws NotKept if another process owns the environment. */
  refuseIfElsewhere(name: string): void {
    if (this.isElsewhere(name)) throw new NotKept(ownedElsewhere(name));
  }

  async #follow({ free, elsewhere, wasAway }: StoredNames): Promise<void> {
    this.#elsewhere = new Set([...elsewhere, ...free]);
    for (const name of elsewhere) this.#abandonLost(name);
    if (wasAway) this.#resume();
    if (this.#following) return;
    try {
      await (this.#following = this.#openAll(free));
    } finally {
      this.#following = undefined;
    }
  }

  async #openAll(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.#isStopped) return;
      this.#abandonLost(name);
      await this.#openFree(name);
    }
  }

  /** Outgoing calls have failed while nothing could be stored. */
  #resume(): void {
    for (const environment of this.#known.values())
      if (environment.log.isKept && !environment.log.isOver) environment.activate();
  }

  #abandonLost(name: string): void {
    const known = this.#known.get(name);
    if (known?.log.isOver) known.abandon();
  }

  /** Leaves an environment that this process has, and one that another process is faster to open. */
  async #openFree(name: string): Promise<void> {
    const known = this.#known.get(name);
    if (known && !known.log.isOver) return;
    try {
      const log = await this.#store.open(name, 'existing');
      await this.#attach(name, log);
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
      this.#elsewhere = new Set([...this.#elsewhere, name]);
    }
  }

  async #attach(name: string, log: EnvironmentLog): Promise<void> {
    const { make, onOpened } = this.#host!;
    try {
      const environment = make(name, (log.snapshot?.marks as Marks | undefined)?.origin);
      await environment.attachLog(log, 'may fail');
      onOpened(environment);
    } catch (thrown) {
      await log.close();
      throw thrown;
    }
  }
}

const ownedElsewhere = (name: string) =>
  new StoreUnavailable(`environment ${name} belongs to another process, or is being taken over: try again`);
