import { ApiError, invalidArgument, stopping } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Peers, Store } from '../store/storage.ts';
import { uptime, type ClockSettings } from './clock.ts';
import { Generator } from './ids.ts';
import { Coverage } from './coverage.ts';
import { Environment } from './environment.ts';
import { DEFAULT_ENVIRONMENT, EnvironmentNames } from './environment-names.ts';
import { IdleWatch } from './idle-watch.ts';
import type { Origin } from './marks.ts';
import { NotKept } from './not-kept.ts';
import type { Credentials } from './credentials.ts';
import type { FixtureRows } from './fixture/fixture-rows.ts';
import type { EnvironmentServices } from './services.ts';
import { StoredEnvironments } from './stored-environments.ts';

export interface NewEnvironment {
  name?: string | undefined;
  /** A fixture's name or file. */
  fixture?: string | undefined;
  seed?: number | undefined;
  /** Undefined: as `--strict` says. */
  strict?: boolean | undefined;
  clock?: ClockSettings | undefined;
  persist?: boolean | undefined;
}

export interface EnvironmentsSettings {
  seed: number;
  /** The most environments besides `default`. */
  limit: number;
  /** Milliseconds without use before an environment is dropped; Infinity: never. */
  idleLimit: number;
  /** Whether all environments are stored, so that other processes find them. */
  isShared: boolean;
  /** Credentials of `default`. */
  credentials: Credentials;
}

export { DEFAULT_ENVIRONMENT } from './environment-names.ts';

/** All environments by name. `default` always exists. */
export class Environments {
  readonly #settings: EnvironmentsSettings;
  readonly #store: Store;
  readonly #shared: EnvironmentServices;
  readonly #all = new Map<string, Environment>();
  /** The coverage of dropped environments. */
  readonly #dropped = new Coverage();
  readonly #idle: IdleWatch;
  readonly #stored: StoredEnvironments;
  readonly #names: EnvironmentNames;
  #makeDefault: (() => Environment) | undefined;
  #isLeaving = false;

  constructor(settings: EnvironmentsSettings, store: Store, shared: EnvironmentServices) {
    this.#settings = settings;
    this.#store = store;
    this.#shared = shared;
    const droppable = () => this.list().filter(({ name }) => name !== DEFAULT_ENVIRONMENT);
    this.#stored = new StoredEnvironments(store, this.#all, shared.report);
    this.#names = new EnvironmentNames(settings, this.#all, this.#stored);
    this.#idle = new IdleWatch(settings.idleLimit, droppable, (idle) => void this.#remove(idle));
  }

  /** Without a name, the environment is called `env-1`, `env-2`, … */
  async create(
    wanted: NewEnvironment,
    fixture: FixtureRows,
    scenarios: readonly Scenario[] = [],
  ): Promise<Environment> {
    const { seed = this.#settings.seed, clock = { mode: 'real' } } = wanted;
    const name = await this.#names.choose(wanted.name);
    const temporary = wanted.persist !== true && this.#settings.isShared;
    const persist = temporary || wanted.persist;
    const make = () => {
      const origin = { name, seed, clock, fixture: wanted.fixture, strict: wanted.strict, temporary };
      const environment = this.#build(origin, fixture);
      // The scenarios of `default` are in the settings of every process.
      const isOwn = name !== DEFAULT_ENVIRONMENT && scenarios.length > 0;
      environment.startWithScenarios(scenarios, isOwn ? 'own' : 'derived');
      return environment;
    };
    const environment = this.#register(make());
    try {
      if (name === DEFAULT_ENVIRONMENT) this.#makeDefault = make;
      if (persist && name === DEFAULT_ENVIRONMENT) await this.#stored.keepDefault(environment);
      else if (persist) await this.#stored.keep(environment);
      if (!environment.log.isOver) environment.activate();
      this.#publish({ change: 'created', name });
      return environment;
    } catch (thrown) {
      this.#all.delete(name);
      // An earlier process may have kept default. The first error says more than a second one.
      if (name !== DEFAULT_ENVIRONMENT) await environment.drop().catch(() => {});
      throw thrown;
    }
  }

  /** Creates an environment that continues from the state of another one; it is in memory unless all are stored. */
  async fork(from: Environment, wanted?: string): Promise<Environment> {
    const name = await this.#names.choose(wanted);
    const { seed, isShared: temporary } = this.#settings;
    const environment = this.#register(
      from.fork({ name, credentials: this.#credentials(name, seed), temporary }),
    );
    try {
      if (temporary) await this.#stored.keep(environment);
    } catch (thrown) {
      this.#all.delete(name);
      throw thrown;
    }
    this.#publish({ change: 'forked', name, from: from.name });
    return environment.activate();
  }

  /**
   * Opens the environments that an earlier process created with `persist`, now and whenever another process of the same
   * store has left one.
   */
  async reopen(rowsOf: (name: string, origin: Origin) => FixtureRows): Promise<void> {
    const make = (name: string, origin: Origin = { seed: this.#settings.seed, clock: { mode: 'real' } }) =>
      name === DEFAULT_ENVIRONMENT
        ? this.#makeDefault!()
        : this.#build({ name, ...origin }, rowsOf(name, origin));
    await this.#stored.open({ make, onOpened: (environment) => this.#replace(environment) });
  }

  /** The environment if it is in this process, even if its owner is another one by now. */
  own(name: string): Environment | undefined {
    return this.#all.get(name);
  }

  /** The other processes that use the store; undefined if there can be none. */
  get peers(): Peers | undefined {
    return this.#store.peers;
  }

  /** The store has just said that there is no environment of this name. */
  noteAbsent(name: string): void {
    this.#stored.noteAbsent(name);
  }

  list(): Environment[] {
    return [...this.#all.values()];
  }

  /** Marks the environment as recently used. */
  find(name: string): Environment | undefined {
    const environment = this.#all.get(name);
    if (!environment) this.#stored.refuseIfElsewhere(name);
    else environment.lastUse = uptime();
    return environment;
  }

  /** Why nothing that is stored can be used now. */
  refusal(): ApiError | undefined {
    if (this.#isLeaving) return stopping();
    const refusal = this.#store.refusal();
    return refusal && new NotKept(refusal);
  }

  /** Marks the environment as recently used. */
  get(name: string): Environment {
    const environment = this.find(name);
    if (environment) return environment;
    if (this.#idle.hasDropped(name))
      throw new ApiError(
        'not_found',
        `environment ${name} is gone: nobody had used it for as long as --environment-ttl says`,
      );
    const hint = suggestAmong(name, [...this.#all.keys()]);
    throw new ApiError('not_found', `environment ${name} not found${hint}`);
  }

  async drop(name: string): Promise<void> {
    if (name === DEFAULT_ENVIRONMENT) throw invalidArgument('environment default cannot be dropped');
    await this.#remove(this.get(name));
  }

  /** Ends all activity subscriptions because the process stops. */
  endActivities(): void {
    for (const { activity } of this.#all.values()) activity.end('stopping');
  }

  /** The coverage of all environments, dropped ones included. */
  coverage(): Coverage {
    const whole = new Coverage(this.#dropped.id);
    for (const { coverage } of [{ coverage: this.#dropped }, ...this.list()]) whole.addCountsOf(coverage);
    return whole;
  }

  /** Resets the coverage of one environment, or of all of them. */
  resetCoverage(name?: string): void {
    const all =
      name === undefined
        ? [this.#dropped, ...this.list().map(({ coverage }) => coverage)]
        : [this.get(name).coverage];
    for (const coverage of all) coverage.reset();
    this.#dropped.renewId();
  }

  /** Leaves what is stored to other processes, which may take it over at once. */
  async giveUp(): Promise<void> {
    this.#isLeaving = true;
    this.#names.close();
    this.#idle.stop();
    await this.#stored.stop();
    await Promise.all(this.list().map((environment) => environment.close()));
  }

  async close(): Promise<void> {
    this.endActivities();
    if (!this.#isLeaving) await this.giveUp();
    await this.#store.close();
  }

  #build(origin: Origin & { name: string }, fixture: FixtureRows): Environment {
    const credentials = this.#credentials(origin.name, origin.seed);
    return new Environment({ ...origin, credentials }, fixture, this.#shared);
  }

  #replace(environment: Environment): void {
    const before = this.#all.get(environment.name);
    if (before) this.#dropped.addCountsOf(before.coverage);
    this.#register(environment).activate();
  }

  #register(environment: Environment): Environment {
    this.#all.set(environment.name, environment);
    this.#idle.forget(environment.name);
    return environment;
  }

  async #remove(environment: Environment): Promise<void> {
    this.#all.delete(environment.name);
    this.#dropped.addCountsOf(environment.coverage);
    this.#publish({ change: 'dropped', name: environment.name });
    await environment.drop().catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
  }

  /** Subscribers of `default` see environments come and go. */
  #publish(activity: { change: 'created' | 'forked' | 'dropped'; name: string; from?: string }): void {
    this.#all.get(DEFAULT_ENVIRONMENT)?.activity.publish({ kind: 'environment', ...activity });
  }

  /** Credentials of other environments contain the name, so that a call finds its environment. */
  #credentials(name: string, seed: number): Credentials {
    if (name === DEFAULT_ENVIRONMENT) return this.#settings.credentials;
    const secret = new Generator(`credentials ${seed} ${name}`).text(32);
    return { client_id: `skc_${name}_1000000000000000001`, client_secret: `test_${name}_${secret}` };
  }
}
