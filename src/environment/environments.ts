import { alreadyExists, ApiError, failedPrecondition, invalidArgument } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Store } from '../store/store.ts';
import type { ClockSettings } from './clock.ts';
import { Generator } from './ids.ts';
import { Coverage } from './coverage.ts';
import type { Marks, Origin } from './durable-log.ts';
import { Environment } from './environment.ts';
import { IdleWatch } from './ticker.ts';
import { NotKept } from './not-kept.ts';
import type { Credentials } from './credentials.ts';
import type { FixtureRows } from './fixture/frozen-rows.ts';
import type { Shared } from './shared.ts';

export interface NewEnvironment {
  name?: string | undefined;
  /** What the seed was made of. */
  fixture?: string | undefined;
  seed?: number | undefined;
  /** undefined: as `--strict` says. */
  strict?: boolean | undefined;
  clock?: ClockSettings | undefined;
  persist?: boolean | undefined;
}

export interface RegistrySettings {
  seed: number;
  /** How many there may be besides `default`. */
  limit: number;
  /** Milliseconds that one may go unused before it is dropped; Infinity: for ever. */
  idleLimit: number;
  /** The credentials of `default`. */
  credentials: Credentials;
}

export const DEFAULT_ENVIRONMENT = 'default';

/** All environments by name. `default` is always there. */
export class Environments {
  readonly #settings: RegistrySettings;
  readonly #store: Store;
  readonly #shared: Shared;
  readonly #all = new Map<string, Environment>();
  /** What was seen in environments that are gone. */
  readonly #gone = new Coverage();
  readonly #idle: IdleWatch;
  #made = 0;

  constructor(settings: RegistrySettings, store: Store, shared: Shared) {
    this.#settings = settings;
    this.#store = store;
    this.#shared = shared;
    const mortal = () => this.list().filter(({ name }) => name !== DEFAULT_ENVIRONMENT);
    this.#idle = new IdleWatch(settings.idleLimit, mortal, (idle) => void this.#forsake(idle));
  }

  /** With a name that is free; without one, it gets `env-1`, `env-2`, … */
  async create(
    wanted: NewEnvironment,
    fixture: FixtureRows,
    scenarios: readonly Scenario[] = [],
  ): Promise<Environment> {
    const { name = this.#freeName(), seed = this.#settings.seed, clock = { mode: 'real' }, persist } = wanted;
    this.#refuseTaken(name);
    const environment = this.#add(
      { name, seed, clock, fixture: wanted.fixture, strict: wanted.strict },
      fixture,
    );
    try {
      environment.beginWith(scenarios);
      if (persist) await this.#keep(environment);
      environment.live();
      this.#tell({ change: 'created', name });
      return environment;
    } catch (thrown) {
      this.#all.delete(name);
      if (name !== DEFAULT_ENVIRONMENT) await environment.drop(); // default may have been kept by an earlier process
      throw thrown;
    }
  }

  /** A new environment that goes on from where another one is, in memory. */
  fork(from: Environment, wanted?: string): Environment {
    const name = wanted ?? this.#freeName();
    this.#refuseTaken(name);
    const { seed } = this.#settings;
    const environment = from.fork({ name, credentials: this.#credentials(name, seed) });
    this.#tell({ change: 'forked', name, from: from.name });
    return this.#admit(environment).live();
  }

  /** Environments that an earlier process made with `persist` are there again. */
  async reopen(seedOf: (name: string, origin: Origin) => FixtureRows): Promise<void> {
    for (const name of this.#store.envs()) {
      if (this.#all.has(name)) continue;
      const durable = await this.#store.open(name);
      const origin = (durable.snapshot?.marks as Marks | undefined)?.origin;
      const known = origin ?? { seed: this.#settings.seed, clock: { mode: 'real' } };
      const environment = this.#add({ name, ...known }, seedOf(name, known));
      await environment.remember(durable, 'may fail');
      environment.live();
    }
  }

  list(): Environment[] {
    return [...this.#all.values()];
  }

  /** By that it is used. */
  find(name: string): Environment | undefined {
    return this.#all.get(name)?.use();
  }

  /** By that it is used. */
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
    if (name === DEFAULT_ENVIRONMENT) throw invalidArgument('environment default can not be dropped');
    await this.#forsake(this.get(name));
  }

  /** Whoever waits for something to happen hears that nothing will. */
  dismiss(): void {
    for (const { activity } of this.#all.values()) activity.end('stopping');
  }

  /** What was seen in all environments that there ever were. */
  coverage(): Coverage {
    const whole = new Coverage(this.#gone.id);
    for (const { coverage } of [{ coverage: this.#gone }, ...this.list()]) whole.absorb(coverage);
    return whole;
  }

  /** Counts from zero again: in the environment of that name, or in all that there ever were. */
  forgetCoverage(name?: string): void {
    const forgetful =
      name === undefined
        ? [this.#gone, ...this.list().map(({ coverage }) => coverage)]
        : [this.get(name).coverage];
    for (const coverage of forgetful) coverage.forget();
    this.#gone.renew();
  }

  async close(): Promise<void> {
    this.#idle.stop();
    this.dismiss();
    await Promise.all(this.list().map((environment) => environment.close()));
    await this.#store.close();
  }

  /** One that a call asks for must be on the disk before the answer; `default` starts anyhow. */
  async #keep(environment: Environment): Promise<void> {
    const { name } = environment;
    if (name === DEFAULT_ENVIRONMENT) return environment.remember(await this.#store.open(name), 'may fail');
    try {
      await environment.remember(await this.#store.open(name), 'must succeed');
    } catch (thrown) {
      throw NotKept.of(thrown);
    }
  }

  #add(origin: Origin & { name: string }, fixture: FixtureRows): Environment {
    const credentials = this.#credentials(origin.name, origin.seed);
    return this.#admit(new Environment({ ...origin, credentials }, fixture, this.#shared));
  }

  #admit(environment: Environment): Environment {
    this.#all.set(environment.name, environment);
    this.#idle.forget(environment.name);
    return environment;
  }

  async #forsake(environment: Environment): Promise<void> {
    this.#all.delete(environment.name);
    this.#gone.absorb(environment.coverage);
    this.#tell({ change: 'dropped', name: environment.name });
    await environment.drop();
  }

  /** Those that follow `default` see environments come and go. */
  #tell(activity: { change: 'created' | 'forked' | 'dropped'; name: string; from?: string }): void {
    this.#all.get(DEFAULT_ENVIRONMENT)?.activity.publish({ kind: 'environment', ...activity });
  }

  #refuseTaken(name: string): void {
    if (this.#all.has(name)) throw alreadyExists(`environment ${name} exists already`);
    const others = this.#all.size - (this.#all.has(DEFAULT_ENVIRONMENT) ? 1 : 0);
    if (name !== DEFAULT_ENVIRONMENT && others >= this.#settings.limit) throw tooMany(others);
  }

  #freeName(): string {
    this.#made += 1;
    const name = `env-${this.#made}`;
    return this.#all.has(name) ? this.#freeName() : name;
  }

  /** Those of other environments carry the name, so that a call finds its environment by them. */
  #credentials(name: string, seed: number): Credentials {
    if (name === DEFAULT_ENVIRONMENT) return this.#settings.credentials;
    const secret = new Generator(`credentials ${seed} ${name}`).text(32);
    return { client_id: `skc_${name}_1000000000000000001`, client_secret: `test_${name}_${secret}` };
  }
}

const tooMany = (count: number) =>
  failedPrecondition(
    `there are ${count} environments besides default, as many as --max-environments allows: drop some ` +
      '(DELETE /_control/v1/environments/{name}), or let those go that nobody uses (--environment-ttl)',
  );

/** The environment that a client's id or secret names; `default` when neither does. */
export function environmentOfClient({ client_id, client_secret }: Credentials): string {
  const [, named] =
    /^(?:skc|m2morg)_([a-z0-9-]{1,40})_\d+$/.exec(client_id) ??
    /^test_([a-z0-9-]{1,40})_[A-Za-z0-9]{32,}$/.exec(client_secret) ??
    [];
  return named ?? DEFAULT_ENVIRONMENT;
}
