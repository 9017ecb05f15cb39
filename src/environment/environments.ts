import { invalidArgument, stopping, type ApiError } from '../contract/errors.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { RestingPage, Store } from '../store/storage.ts';
import { uptime, type ClockSettings } from '../state/clock.ts';
import type { EnvironmentChange } from '../journal/activity.ts';
import { TotalCoverage, type Coverage } from '../coverage/coverage.ts';
import { Environment, type EnvironmentServices } from './environment.ts';
import {
  DEFAULT_ENVIRONMENT,
  environmentNotFound,
  EnvironmentNames,
  nameTaken,
} from '../state/environment-names.ts';
import { IdleWatch, restingView, restOf, type RestingView, RestWatch } from './rest.ts';
import { KeptEnvironments, MOST_KEPT } from './kept.ts';
import { NotKept } from '../store/not-kept.ts';
import { untilKept } from '../store/until-stored.ts';
import type { FixtureRows } from '../state/fixture-rows.ts';
import { StoredEnvironments } from './stored-environments.ts';
import { namedCredentials, type Credentials } from '../state/credentials.ts';
import type { SavePoint } from './save-points.ts';
import type { KeptTest, Origin } from './marks.ts';

const TOO_MANY_KEPT = `because ${MOST_KEPT} environments were kept later`;

/** All environments by name. `default` always exists. */
export class Environments {
  readonly #settings: EnvironmentsSettings;
  readonly #store: Store;
  readonly #all = new Map<string, Environment>();
  readonly #coverage = new TotalCoverage();
  readonly #idle: IdleWatch;
  readonly #rests: RestWatch | undefined;
  readonly #kept = new KeptEnvironments();
  /** Those of the store, of this process and of others. */
  readonly stored: StoredEnvironments;
  readonly #names: EnvironmentNames;
  readonly #shared: EnvironmentServices;
  #makeDefault: (() => Environment) | undefined;
  /** Set before stored environments can be made. */
  #rowsOf: RowsOf | undefined;
  #isLeaving = false;

  constructor(settings: EnvironmentsSettings, store: Store, shared: EnvironmentServices) {
    this.#settings = settings;
    this.#store = store;
    this.#shared = shared;
    this.stored = this.#storedIn(store);
    const canRest = store.resting !== undefined;
    const isStored = (name: string) => this.stored.isStored(name);
    const generation = (name: string) => this.stored.generation(name);
    this.#names = new EnvironmentNames({ limit: settings.limit, canRest, isStored, generation }, this.#all);
    this.#idle = new IdleWatch(settings.idleLimit, {
      all: () => this.list().filter(({ name }) => name !== DEFAULT_ENVIRONMENT),
      drop: (idle) => void this.#remove(idle),
      dropResting: (limit) => this.stored.dropResting(limit),
    });
    const host = { awake: () => this.list(), rest: (idle: Environment) => this.#putToRest(idle) };
    if (canRest) this.#rests = new RestWatch(host);
  }

  #storedIn(store: Store): StoredEnvironments {
    return new StoredEnvironments(store, {
      known: this.#all,
      make: (name, origin) => this.#makeAgain(name, origin),
      onOpened: (environment) => this.#replace(environment),
      onLost: (environment) => this.#forget(environment),
      onDropped: (name) => this.#publish({ change: 'dropped', name }),
      report: this.#shared.report,
    });
  }

  /** Without a name, the environment is called `env-1`, `env-2`, … */
  async create(
    wanted: NewEnvironment,
    fixture: FixtureRows,
    scenarios: readonly Scenario[] = [],
  ): Promise<Environment> {
    const { seed = this.#settings.seed, clock = { mode: 'real' } } = wanted;
    const { name, generation } = await this.#names.choose(wanted.name);
    const temporary = wanted.persist !== true && this.#settings.isShared;
    const persist = temporary || wanted.persist;
    const { fixture: file, strict } = wanted;
    const origin = { name, seed, generation, clock, fixture: file, strict, temporary };
    const environment = this.#add(this.#make(origin, fixture, scenarios));
    try {
      if (persist && name === DEFAULT_ENVIRONMENT) await this.stored.keepDefault(environment);
      else if (persist) await this.stored.keep(environment);
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
  async fork(from: Environment, wanted?: string, point?: SavePoint): Promise<Environment> {
    const { name, generation } = await this.#names.choose(wanted);
    const credentials = this.#credentials(name, { seed: from.made.seed, generation });
    const temporary = this.#settings.isShared;
    const forked = await untilKept(from, () =>
      from.fork({ name, generation, credentials, temporary }, point),
    );
    const environment = this.#add(forked);
    try {
      if (!from.log.shared) await from.kept();
      if (this.#settings.isShared) await this.stored.keep(environment);
    } catch (thrown) {
      this.#all.delete(name);
      throw thrown;
    }
    this.#publish({ change: 'forked', name, from: from.name });
    return environment.log.isOver ? environment : environment.activate();
  }

  /** Makes an environment that continues a run from elsewhere, in place of the one that has its name. Nothing happens in it by itself. */
  adopt(origin: Origin & { name: string }, rows: FixtureRows): Environment {
    this.#all.get(origin.name)?.abandon();
    return this.#register(this.#build(origin, rows));
  }

  /** Keeps the environment of a test until 50 others of this process are kept later. */
  async keep(environment: Environment, test: Omit<KeptTest, 'at'>): Promise<void> {
    const before = environment.keptFor;
    this.#kept.keep(environment, test);
    await environment.kept();
    await this.stored.noteKept(environment.name).catch((thrown: unknown) => {
      environment.keepFor(before); // other processes would never drop it
      throw thrown;
    });
    this.#publish({ change: 'kept', name: environment.name, test: test.test });
    for (const name of await this.stored.keptBefore(MOST_KEPT)) {
      this.#idle.remember(name, TOO_MANY_KEPT);
      await this.stored.wake(name);
      const found = this.#all.get(name);
      if (found && !found.log.isOver) await this.#remove(found);
    }
    // Other calls may drop some meanwhile, so each is looked for anew.
    for (let each = this.#kept.surplus(this.list()); each; each = this.#kept.surplus(this.list())) {
      this.#idle.remember(each.name, TOO_MANY_KEPT);
      await this.#remove(each);
    }
  }

  /** Opens the environments that an earlier process created with `persist`, or lets them rest. */
  async reopen(rowsOf: RowsOf): Promise<void> {
    this.#rowsOf = rowsOf;
    await this.stored.open();
  }

  /** The environment if it is in this process, even if its owner is another one by now. */
  own(name: string): Environment | undefined {
    return this.#all.get(name);
  }

  /** Whether this process has the environment, and no other one has taken it over. */
  has(name: string): boolean {
    return this.#all.get(name)?.log.isOver === false;
  }

  /** Whether other processes use the same store. */
  get isShared(): boolean {
    return this.#store.shared !== undefined;
  }

  /** Stored environments that no process has open, in order of name. */
  async resting(page: RestingPage): Promise<RestingView[]> {
    const found = await this.stored.resting(page);
    return found.map((each) => restingView(each, (name, origin) => this.#credentials(name, origin)));
  }

  list(): Environment[] {
    return [...this.#all.values()];
  }

  /** Marks the environment as recently used. */
  find(name: string): Environment | undefined {
    const environment = this.#all.get(name);
    if (environment) environment.lastUse = uptime();
    return environment;
  }

  /** Why nothing that is stored can be used now. */
  refusal(): ApiError | undefined {
    return this.#isLeaving ? stopping() : this.stored.refusal();
  }

  /** Marks the environment as recently used. */
  get(name: string): Environment {
    const environment = this.find(name);
    if (environment) return environment;
    throw environmentNotFound(name, [...this.#all.keys()], this.#idle.reasonOf(name));
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
    return this.#coverage.whole(this.list());
  }

  /** Resets the coverage of one environment, or of all of them. */
  resetCoverage(name?: string): void {
    if (name === undefined) this.#coverage.resetAll(this.list());
    else this.#coverage.resetOne(this.get(name));
  }

  /** From now on the health check says that the process stops. */
  announceStop(): void {
    this.#isLeaving = true;
  }

  /** Leaves what is stored to other processes, which may take it over at once. */
  async giveUp(): Promise<void> {
    this.#isLeaving = true;
    this.#names.close();
    this.#idle.stop();
    this.#rests?.stop();
    await this.stored.stop();
    await Promise.all(this.list().map((environment) => environment.close(this.#restOf(environment))));
  }

  async close(): Promise<void> {
    this.endActivities();
    await this.giveUp();
    await this.#store.close();
  }

  /** Makes an environment in memory with these scenarios loaded. `default` can be made again. */
  #make(
    origin: Origin & { name: string },
    fixture: FixtureRows,
    scenarios: readonly Scenario[],
  ): Environment {
    const make = () => {
      const environment = this.#build(origin, fixture);
      // The scenarios of `default` are in the settings of every process.
      const isOwn = origin.name !== DEFAULT_ENVIRONMENT && scenarios.length > 0;
      environment.startWithScenarios(scenarios, isOwn ? 'own' : 'derived');
      return environment;
    };
    if (origin.name === DEFAULT_ENVIRONMENT) this.#makeDefault = make;
    return make();
  }

  /** Makes a stored environment without what is stored. `stored`: undefined if nothing is. */
  #makeAgain(name: string, stored: Origin | undefined): Environment {
    if (name === DEFAULT_ENVIRONMENT) return this.#makeDefault!();
    const origin: Origin = stored ?? { seed: this.#settings.seed, clock: { mode: 'real' } };
    return this.#build({ ...origin, name }, this.#rowsOf!(name, origin));
  }

  #build(origin: Origin & { name: string }, fixture: FixtureRows): Environment {
    const credentials = this.#credentials(origin.name, origin);
    return new Environment({ ...origin, credentials }, fixture, this.#shared);
  }

  #credentials(name: string, origin: Pick<Origin, 'seed' | 'generation'>): Credentials {
    return name === DEFAULT_ENVIRONMENT ? this.#settings.credentials : namedCredentials(name, origin);
  }

  #replace(environment: Environment): void {
    const before = this.#all.get(environment.name);
    if (before) this.#coverage.keep(before);
    // Whoever follows all environments still observes the one that was lost.
    before?.activity.publish({ kind: 'environment', change: 'opened', name: environment.name });
    this.#register(environment).activate();
    this.#publish({ change: 'opened', name: environment.name });
  }

  /** Another process has the environment, or this one opens it again when it is needed. */
  #forget(environment: Environment): void {
    environment.abandon();
    if (environment.name !== DEFAULT_ENVIRONMENT) this.#takeOut(environment);
  }

  async #putToRest(environment: Environment): Promise<void> {
    this.#takeOut(environment);
    await this.stored
      .rest(environment)
      .catch((thrown: unknown) =>
        this.#shared.report(`environment ${environment.name} was put to rest`, thrown),
      );
    this.#publish({ change: 'rested', name: environment.name });
  }

  /** Undefined for `default`, which another process opens at once. */
  #restOf(environment: Environment) {
    return environment.name === DEFAULT_ENVIRONMENT || !this.#rests ? undefined : restOf(environment);
  }

  /** Throws `already_exists` if another call has taken the name since it was chosen. */
  #add(environment: Environment): Environment {
    if (this.#all.has(environment.name)) throw nameTaken(environment.name);
    return this.#register(environment);
  }

  #register(environment: Environment): Environment {
    this.#all.set(environment.name, environment);
    this.#idle.forget(environment.name);
    this.#rests?.noteAwake();
    return environment;
  }

  async #remove(environment: Environment): Promise<void> {
    this.#takeOut(environment);
    this.#names.release(environment);
    this.#publish({ change: 'dropped', name: environment.name });
    await environment.drop().catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
  }

  #takeOut(environment: Environment): void {
    this.#all.delete(environment.name);
    this.#coverage.keep(environment);
  }

  /** Subscribers of `default` see environments come and go. */
  #publish(activity: { change: EnvironmentChange; name: string; from?: string; test?: string }): void {
    this.#all.get(DEFAULT_ENVIRONMENT)?.activity.publish({ kind: 'environment', ...activity });
  }
}

interface NewEnvironment {
  name?: string | undefined;
  /** A fixture's name or file. */
  fixture?: string | undefined;
  seed?: number | undefined;
  /** Undefined: as `--strict` says. */
  strict?: boolean | undefined;
  clock?: ClockSettings | undefined;
  persist?: boolean | undefined;
}

interface EnvironmentsSettings {
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

/** Makes the rows that a stored environment has started from. Throws FixtureError. */
type RowsOf = (name: string, origin: Origin) => FixtureRows;
