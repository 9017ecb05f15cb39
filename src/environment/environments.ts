import { alreadyExists, ApiError, failedPrecondition, invalidArgument } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Store } from '../store/storage.ts';
import type { ClockSettings } from './clock.ts';
import { Generator } from './ids.ts';
import { Coverage } from './coverage.ts';
import type { Origin } from './durable-log.ts';
import { Environment } from './environment.ts';
import { IdleWatch } from './idle-watch.ts';
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
  /** Credentials of `default`. */
  credentials: Credentials;
}

export const DEFAULT_ENVIRONMENT = 'default';

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
  #lastNumber = 0;
  #makeDefault: (() => Environment) | undefined;

  constructor(settings: EnvironmentsSettings, store: Store, shared: EnvironmentServices) {
    this.#settings = settings;
    this.#store = store;
    this.#shared = shared;
    const droppable = () => this.list().filter(({ name }) => name !== DEFAULT_ENVIRONMENT);
    this.#stored = new StoredEnvironments(store, this.#all, shared.report);
    this.#idle = new IdleWatch(settings.idleLimit, droppable, (idle) => void this.#remove(idle));
  }

  /** Without a name, the environment is called `env-1`, `env-2`, … */
  async create(
    wanted: NewEnvironment,
    fixture: FixtureRows,
    scenarios: readonly Scenario[] = [],
  ): Promise<Environment> {
    const { name = this.#freeName(), seed = this.#settings.seed, clock = { mode: 'real' }, persist } = wanted;
    this.#checkName(name);
    const make = () => {
      const origin = { name, seed, clock, fixture: wanted.fixture, strict: wanted.strict };
      const environment = this.#build(origin, fixture);
      environment.startWithScenarios(scenarios);
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
      if (name !== DEFAULT_ENVIRONMENT) await environment.drop(); // an earlier process may have kept default
      throw thrown;
    }
  }

  /** Creates an environment in memory that continues from the state of another one. */
  fork(from: Environment, wanted?: string): Environment {
    const name = wanted ?? this.#freeName();
    this.#checkName(name);
    const { seed } = this.#settings;
    const environment = from.fork({ name, credentials: this.#credentials(name, seed) });
    this.#publish({ change: 'forked', name, from: from.name });
    return this.#register(environment).activate();
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

  list(): Environment[] {
    return [...this.#all.values()];
  }

  /** Marks the environment as recently used. */
  find(name: string): Environment | undefined {
    this.#stored.refuseIfElsewhere(name);
    return this.#all.get(name)?.markUsed();
  }

  /** Why nothing that is stored can be used now. */
  refusal(): ApiError | undefined {
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

  async close(): Promise<void> {
    this.#idle.stop();
    this.endActivities();
    await Promise.all(this.list().map((environment) => environment.close()));
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

  #checkName(name: string): void {
    if (this.#all.has(name) || this.#stored.isElsewhere(name))
      throw alreadyExists(`environment ${name} exists already`);
    const others = this.#all.size - (this.#all.has(DEFAULT_ENVIRONMENT) ? 1 : 0);
    if (name !== DEFAULT_ENVIRONMENT && others >= this.#settings.limit) throw tooManyEnvironments(others);
  }

  #freeName(): string {
    this.#lastNumber += 1;
    const name = `env-${this.#lastNumber}`;
    return this.#all.has(name) ? this.#freeName() : name;
  }

  /** Credentials of other environments contain the name, so that a call finds its environment. */
  #credentials(name: string, seed: number): Credentials {
    if (name === DEFAULT_ENVIRONMENT) return this.#settings.credentials;
    const secret = new Generator(`credentials ${seed} ${name}`).text(32);
    return { client_id: `skc_${name}_1000000000000000001`, client_secret: `test_${name}_${secret}` };
  }
}

const tooManyEnvironments = (count: number) =>
  failedPrecondition(
    `there are ${count} environments besides default, as many as --max-environments allows: drop some ` +
      '(DELETE /_control/v1/environments/{name}), or let those go that nobody uses (--environment-ttl)',
  );

/** The environment in a client's id or secret, or `default`. */
export function environmentOfClient(idOrSecret: string): string {
  const [, named] =
    /^(?:skc|m2morg)_([a-z0-9-]{1,40})_\d+$/.exec(idOrSecret) ??
    /^test_([a-z0-9-]{1,40})_[A-Za-z0-9]{32,}$/.exec(idOrSecret) ??
    [];
  return named ?? DEFAULT_ENVIRONMENT;
}
