import { Overtaken, StoreUnavailable } from '../store/change-log.ts';
import type {
  EnvironmentLog,
  RestingEnvironment,
  RestingPage,
  Store,
  StoredNames,
} from '../store/storage.ts';
import { uptime } from '../state/clock.ts';
import { canBeName, nameTaken } from '../state/environment-names.ts';
import type { Environment } from './environment.ts';
import { stopping } from '../contract/errors.ts';
import type { FirstWrite } from './durable-log.ts';
import type { Marks, Origin } from './marks.ts';
import { NotKept } from '../store/not-kept.ts';
import { restOf, type RestSummary } from './rest.ts';

/** Environments that are opened at the same time without a call, so that some are read while others are made. */
const OPENED_AT_ONCE = 8;

interface StoredEnvironmentsHost {
  /** The environments of this process. */
  known: ReadonlyMap<string, Environment>;
  /** Makes an environment without what is stored. `origin`: undefined if nothing is stored. */
  make: (name: string, origin: Origin | undefined) => Environment;
  /** Called with each environment that has the state of the store; it may replace one that was lost. */
  onOpened: (environment: Environment) => void;
  /** Called with each environment that this process has lost. */
  onLost: (environment: Environment) => void;
  /** Called with the name of each resting environment that this process has dropped. */
  onDropped: (name: string) => void;
  /** Reports failures that no caller can be told. */
  report: (message: string, cause: unknown) => void;
}

/** The environments of the store. Those that rest are opened when they are needed, by this process or another one. */
export class StoredEnvironments {
  readonly #store: Store;
  readonly #host: StoredEnvironmentsHost;
  /** Environments that are being opened or put to rest. */
  readonly #moving = new Map<string, Promise<void>>();
  /** Environments that could not be made from what is stored. */
  readonly #broken = new Set<string>();
  #isFollowing = false;
  #isStopped = false;

  constructor(store: Store, host: StoredEnvironmentsHost) {
    this.#store = store;
    this.#host = host;
  }

  /** Starts to store an environment from a call: it must be stored before the answer. */
  async keep(environment: Environment): Promise<void> {
    try {
      await this.#attachNew(environment, 'must succeed');
    } catch (thrown) {
      throw thrown instanceof Overtaken ? nameTaken(environment.name) : NotKept.of(thrown);
    }
  }

  /** `default` starts even if the disk fails. If another process owns it, it refuses calls until it can be opened. */
  async keepDefault(environment: Environment): Promise<void> {
    try {
      await this.#attachNew(environment, 'may fail');
    } catch (thrown) {
      if (thrown instanceof Overtaken) return this.keepDefault(environment);
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
      environment.log.refuse(environment.name, thrown);
    }
  }

  async #attachNew(environment: Environment, first: FirstWrite): Promise<void> {
    const log = await this.#store.open(environment.name);
    try {
      await environment.attachLog(log, first);
    } catch (thrown) {
      if (log.shared) await log.close(); // it is opened again
      throw thrown;
    }
  }

  /** Opens what is stored, now and whenever something has to be opened. */
  async open(): Promise<void> {
    for (const name of await this.#store.envs()) await this.#open(name);
    this.#store.watch((names) => void this.#follow(names));
  }

  /** Why other processes may own what this one has. */
  refusal(): NotKept | undefined {
    const refusal = this.#store.refusal();
    return refusal && new NotKept(refusal);
  }

  /** Whether other processes may have the environment. Throws NotKept. */
  async isStored(name: string): Promise<boolean> {
    if (!canBeName(name) || !this.#store.shared) return false;
    return this.#store.shared.isStored(name).catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
  }

  /** Tells other processes that the environment is kept for a test. Throws NotKept. */
  async noteKept(name: string): Promise<void> {
    await this.#store.shared?.keep(name).catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
  }

  /** Those of all processes that were kept before the latest `limit`. Throws NotKept. */
  async keptBefore(limit: number): Promise<string[]> {
    const names = this.#store.shared?.keptBefore(limit).catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
    return (await names) ?? [];
  }

  /** Another process has removed the environment. */
  forget(name: string): void {
    const known = this.#host.known.get(name);
    if (known?.log.isOver) this.#host.onLost(known);
  }

  /** How many environments of the store had the name before. Throws NotKept. */
  generation(name: string): Promise<number> {
    return this.#store.generation(name).catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
  }

  /** Those that no process has open, in order of name. */
  async resting(page: RestingPage): Promise<readonly RestingEnvironment[]> {
    const found = this.#store.resting?.list(page).catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
    return (await found) ?? [];
  }

  /**
   * Drops temporary ones that no process has open and nobody has used for so many milliseconds, and returns their names.
   * A failure is tried again later.
   */
  async dropResting(limit: number): Promise<readonly string[]> {
    const names = (await this.#store.resting?.dropUnused(limit).catch(() => [])) ?? [];
    for (const name of names) this.#host.onDropped(name);
    return names;
  }

  /** Opens an environment that is needed now, unless another process is faster. Throws ApiError. */
  async wake(name: string): Promise<void> {
    await this.#open(name);
    const environment = this.#host.known.get(name);
    if (environment) environment.lastUse = uptime();
  }

  /** Puts an environment to rest that the caller has removed from those of this process. */
  rest(environment: Environment): Promise<void> {
    const rest = restOf(environment);
    environment.abandon();
    return this.#move(environment.name, environment.close(rest));
  }

  /** Resolves once the environment is neither being opened nor put to rest. */
  async settled(name: string): Promise<void> {
    await this.#moving.get(name)?.catch(() => {}); // the caller that began it gets the error
  }

  /** Whether this process opens nothing any more, because it stops. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Opens nothing more, and resolves once nothing is being opened or put to rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#moving.values());
  }

  async #move(name: string, moving: Promise<void>): Promise<void> {
    this.#moving.set(name, moving);
    try {
      await moving;
    } finally {
      this.#moving.delete(name);
    }
  }

  async #follow({ free, wasAway }: StoredNames): Promise<void> {
    for (const environment of this.#host.known.values())
      if (environment.log.isOver) this.#host.onLost(environment);
    if (wasAway || this.#store.shared) this.#resume(wasAway);
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const names = free.values(); // each is taken once
    const wakeNext = async () => {
      for (const name of names) await this.#wakeDue(name);
    };
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, wakeNext));
    this.#isFollowing = false;
  }

  async #wakeDue(name: string): Promise<void> {
    if (this.#isStopped || this.#broken.has(name)) return;
    try {
      await this.#open(name);
    } catch (thrown) {
      if (this.#isStopped) return;
      this.#broken.add(name);
      this.#host.report(`environment ${name} could not be opened`, thrown);
    }
  }

  /** Outgoing calls have failed while nothing could be stored, or the process that made them has ended. */
  #resume(wasAway: boolean): void {
    for (const environment of this.#host.known.values())
      if (environment.log.isKept && !environment.log.isOver && (wasAway || environment.hasDueCalls))
        environment.activate();
  }

  /** Opens it once for simultaneous calls. */
  async #open(name: string): Promise<void> {
    while (this.#moving.has(name)) await this.settled(name);
    if (this.#isStopped) throw stopping();
    const known = this.#host.known.get(name);
    if (!known || known.log.isOver) await this.#move(name, this.#openFree(name));
  }

  /** Leaves an environment that another process is faster to open. */
  async #openFree(name: string): Promise<void> {
    try {
      await this.#attach(name, await this.#store.open(name, 'existing'));
      this.#broken.delete(name);
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
    }
  }

  async #attach(name: string, log: EnvironmentLog): Promise<void> {
    const { make, onOpened } = this.#host;
    try {
      const environment = make(name, (log.snapshot?.marks as Marks | undefined)?.origin);
      const { created = environment.created } = (log.summary ?? {}) as Partial<RestSummary>;
      environment.created = created;
      await environment.attachLog(log, 'may fail');
      onOpened(environment);
    } catch (thrown) {
      await log.close();
      throw thrown;
    }
  }
}

const isPassing = (thrown: unknown) =>
  thrown instanceof StoreUnavailable || (thrown instanceof NotKept && thrown.isPassing);
