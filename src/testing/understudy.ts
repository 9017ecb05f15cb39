import type { RequestListener } from 'node:http';
import {
  ControlError,
  type ClockSetting,
  type ControlClient,
  type Environment,
  type EnvironmentControl,
  type NewEnvironment,
} from '../client/control.ts';
import { NEW_ENVIRONMENT } from '../client/environments.ts';
import { checkOptions, type NamesOf } from '../client/options.ts';
import type { Running } from './in-process.ts';
import { TestControls } from './test-environment.ts';

// What `await using` needs of the language, for compilers and runtimes that don't have it yet.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The symbol under which compilers look where a runtime has none. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

export interface EnvironmentOptions extends Omit<NewEnvironment, 'clock'> {
  /** A setting, or the instant where its time stands still. */
  clock?: ClockSetting | string | Date;
}

const ENVIRONMENT: NamesOf<EnvironmentOptions> = NEW_ENVIRONMENT;

/** A running service. Its own calls work on the environment `default`. */
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

  /** An isolated copy of everything. It costs a millisecond: make one for each test. */
  async environment(options: EnvironmentOptions = {}): Promise<TestEnvironment> {
    checkOptions('environment', options, ENVIRONMENT);
    const { clock, ...wanted } = options;
    const setting = settingOf(clock);
    const made = await this.control.environments.create({ ...wanted, ...(setting && { clock: setting }) });
    return new TestEnvironment(this.control, made);
  }

  /** The same for as long as `run` takes. */
  async withEnvironment<T>(run: (environment: TestEnvironment) => Promise<T> | T): Promise<T> {
    const environment = await this.environment();
    try {
      return await run(environment);
    } finally {
      await environment.drop();
    }
  }

  /** Ends what was started; a service that ran already goes on. */
  stop(): Promise<void> {
    return (this.#ended ??= this.#running.stop());
  }

  [asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** An environment of one test. Nothing that happens in it is seen in another. */
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

  /** Another environment, which goes on from here: what was prepared once can be tried in several ways. */
  async fork(name?: string): Promise<TestEnvironment> {
    return new TestEnvironment(this.#client, await this.#control.fork(name));
  }

  /** It may be gone already. */
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
