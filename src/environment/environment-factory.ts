import type { Scenario } from '../scenarios/scenario.ts';
import { namedCredentials, type Credentials } from '../state/credentials.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import { Environment } from './environment.ts';
import type { FixtureRows } from '../state/fixture-rows.ts';
import type { Origin } from './marks.ts';
import type { EnvironmentServices } from './services.ts';
import type { ClockSettings } from '../state/clock.ts';
import type { RestSettings } from './rest-watch.ts';

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
  /** When stored environments are put to rest. */
  rest: RestSettings;
  /** Whether all environments are stored, so that other processes find them. */
  isShared: boolean;
  /** Credentials of `default`. */
  credentials: Credentials;
}

/** Makes the rows that a stored environment has started from. Throws FixtureError. */
export type RowsOf = (name: string, origin: Origin) => FixtureRows;

type FactorySettings = Pick<EnvironmentsSettings, 'seed' | 'credentials'>;

/** Makes environments. They are in memory, and nothing happens in them yet. */
export class EnvironmentFactory {
  readonly #settings: FactorySettings;
  readonly #shared: EnvironmentServices;
  #makeDefault: (() => Environment) | undefined;
  #rowsOf: RowsOf | undefined;

  constructor(settings: FactorySettings, shared: EnvironmentServices) {
    this.#settings = settings;
    this.#shared = shared;
  }

  /** Starts with these scenarios loaded. `default` can be made again. */
  create(
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

  /** Continues from the present state of another environment. */
  fork(from: Environment, name: string, temporary: boolean): Environment {
    return from.fork({ name, credentials: this.credentials(name, from.made.seed), temporary });
  }

  /** From now on, stored environments can be made. */
  readFixturesWith(rowsOf: RowsOf): void {
    this.#rowsOf = rowsOf;
  }

  /** Makes a stored environment without what is stored. `stored`: undefined if nothing is. */
  again(name: string, stored: Origin | undefined): Environment {
    if (name === DEFAULT_ENVIRONMENT) return this.#makeDefault!();
    const origin: Origin = stored ?? { seed: this.#settings.seed, clock: { mode: 'real' } };
    return this.#build({ ...origin, name }, this.#rowsOf!(name, origin));
  }

  credentials(name: string, seed: number): Credentials {
    return name === DEFAULT_ENVIRONMENT ? this.#settings.credentials : namedCredentials(name, seed);
  }

  #build(origin: Origin & { name: string }, fixture: FixtureRows): Environment {
    const credentials = this.credentials(origin.name, origin.seed);
    return new Environment({ ...origin, credentials }, fixture, this.#shared);
  }
}
