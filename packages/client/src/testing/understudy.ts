import type { RequestListener } from 'node:http';
import path from 'node:path';
import {
  ControlError,
  type ClockSetting,
  type ControlClient,
  type Environment,
  type EnvironmentControl,
  type KeptTest,
  type NewEnvironment,
  type ReadOptions,
} from '../control.ts';
import { NEW_ENVIRONMENT } from '../environments-control.ts';
import { checkOptions, type NamesOf } from '../transport.ts';
import { bundleOf, messageOf } from './bundles.ts';
import { endEnvironment } from './kept-tests.ts';
import type { Running, StartOptions } from './start.ts';
import { TestControls } from './test-environment.ts';

// Types for `await using`, for compilers and runtimes without it.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The symbol that compilers look up if the runtime has none. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

export interface EnvironmentOptions extends Omit<NewEnvironment, 'clock'> {
  /** A clock setting, or the instant at which to freeze the clock. */
  clock?: ClockSetting | string | Date;
}

const ENVIRONMENT: NamesOf<EnvironmentOptions> = NEW_ENVIRONMENT;

export interface WithEnvironmentOptions {
  /** The name of the test with its file, for `UNDERSTUDY_KEEP`. Without it, the file that runs. */
  test?: string;
}

/** A running service. Its own calls use the environment `default`. */
export class Understudy extends TestControls {
  /** Every call of the control API. */
  readonly control: ControlClient;
  readonly #running: Omit<Running, 'url'>;
  #ended: Promise<void> | undefined;

  /** @internal */
  constructor(control: ControlClient, home: Environment, running: Omit<Running, 'url'>) {
    super(control, home);
    this.control = control;
    this.#running = running;
  }

  /**
   * The service as an Express app: `supertest(sim.app)`, or `yours.use('/scalekit', sim.app)`. It answers as the port
   * does, from the same environments. Only a service in the process of the test has one.
   */
  get app(): RequestListener {
    const { app } = this.#running;
    if (!app)
      throw new Error(
        "sim.app: only a service that startUnderstudy() starts with mode 'in-process' has an app",
      );
    return app;
  }

  /** Creates an isolated environment. This takes a millisecond: create one for each test. */
  async environment(options: EnvironmentOptions = {}): Promise<TestEnvironment> {
    checkOptions('environment', options, ENVIRONMENT);
    const { clock, ...wanted } = options;
    const made = await this.control.environments.create({ ...wanted, clock: settingOf(clock) });
    return new TestEnvironment(this.control, made);
  }

  /** Creates an environment, passes it to `run`, and drops it afterwards, unless `UNDERSTUDY_KEEP` keeps it. */
  async withEnvironment<T>(
    run: (environment: TestEnvironment) => Promise<T> | T,
    options: WithEnvironmentOptions = {},
  ): Promise<T> {
    checkOptions('withEnvironment', options, { test: true });
    const { test = path.relative('', process.argv[1] ?? '') || 'a test' } = options;
    const environment = await this.environment();
    let result: T;
    try {
      result = await run(environment);
    } catch (thrown) {
      const ended = { test, isFailed: true, failure: messageOf(thrown) };
      const bundle = await bundleOf(environment, ended);
      if (bundle) console.error(bundle.line);
      await endEnvironment(environment, ended).catch(() => {}); // the error of the test counts
      throw thrown;
    }
    await endEnvironment(environment, { test, isFailed: false });
    return result;
  }

  /** Stops a service that `startUnderstudy` started; a connected service keeps running. */
  stop(): Promise<void> {
    return (this.#ended ??= this.#running.stop());
  }

  [asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** An environment of one test, isolated from all others. */
export class TestEnvironment extends TestControls {
  readonly #client: ControlClient;
  readonly #control: EnvironmentControl;

  /** @internal */
  constructor(client: ControlClient, made: Environment) {
    const control = client.environment(made.name);
    super(control, made);
    this.#client = client;
    this.#control = control;
  }

  /** Copies the environment as it is or, with `at`, as it was: to try several continuations of one setup. */
  async fork(name?: string, wanted?: ReadOptions): Promise<TestEnvironment> {
    return new TestEnvironment(this.#client, await this.#control.fork(name, wanted));
  }

  /**
   * Keeps the environment for a test that has ended, so that `understudy requests --test` and the dashboard find its
   * calls. Those of 50 tests are kept, and the next one drops the oldest.
   */
  async keep(test: KeptTest): Promise<void> {
    await this.#control.keep(test);
  }

  /** Does nothing if the environment is already gone. */
  async drop(): Promise<void> {
    try {
      await this.#control.drop();
    } catch (thrown) {
      if (!(thrown instanceof ControlError && thrown.status === 404)) throw thrown;
    }
  }

  [asyncDispose](): Promise<void> {
    return this.drop();
  }
}

function settingOf(clock: EnvironmentOptions['clock']): ClockSetting | undefined {
  if (clock instanceof Date) return { mode: 'frozen', at: clock.toISOString() };
  return typeof clock === 'string' ? { mode: 'frozen', at: clock } : clock;
}

/** What the environment of each test starts with. */
export type TestOptions = Pick<EnvironmentOptions, 'fixture' | 'seed' | 'clock' | 'scenarios' | 'strict'>;

export interface SuiteOptions extends TestOptions {
  /** How to start the simulator; ignored if `UNDERSTUDY_URL` names a running one. */
  start?: StartOptions;
}

/** What a test gets. */
export interface TestContext {
  /** The environment of this test. It is dropped at the end of the test. */
  env: TestEnvironment;
  /** The simulator, which tests of the same worker share. */
  sim: Understudy;
}
