import { setTimeout as passing } from 'node:timers/promises';
import { ConnectionError, ControlClient, type ControlOptions } from '../control.ts';
import { checkOptions, type NamesOf } from '../transport.ts';
import {
  startChildProcess,
  startInProcess,
  type Running,
  checkStartOptions,
  type StartOptions,
  wantedReports,
} from './start.ts';
import { ENDS_WITH_TESTS } from './kept-tests.ts';
import { Understudy } from './understudy.ts';

export { ConnectionError, ControlError, unchecked, VerificationError, WaitError } from '../control.ts';
export type { StartOptions } from './start.ts';
export type { TestControls } from './test-environment.ts';
export type {
  EnvironmentOptions,
  SuiteOptions,
  TestContext,
  TestEnvironment,
  TestOptions,
  Understudy,
  WithEnvironmentOptions,
} from './understudy.ts';

/** Starts a service on a free port. Resolves when the service is ready. */
export async function startUnderstudy(options: StartOptions = {}): Promise<Understudy> {
  checkStartOptions(options);
  const running = await (options.mode === 'child-process' ? startChildProcess : startInProcess)(options);
  try {
    return await understudyAt(new ControlClient(running.url, { token: options.controlToken }), running);
  } catch (thrown) {
    await running.stop();
    throw thrown;
  }
}

/**
 * Starts one simulator for all test files of a run, unless `UNDERSTUDY_URL` names a running one. Call it in the global
 * setup of vitest, jest or Playwright: test files find it by the variable. Returns a function that stops it; it also
 * ends with this process. Without `report`, the variable `UNDERSTUDY_REPORT` names the files of the report.
 */
export async function shareSimulator(options: Omit<StartOptions, 'mode'> = {}): Promise<() => Promise<void>> {
  checkStartOptions(options);
  if (process.env['UNDERSTUDY_URL']) return async () => {};
  const running = await startChildProcess({ report: wantedReports(), ...options });
  running.unref();
  process.env['UNDERSTUDY_URL'] = running.url;
  process.env[ENDS_WITH_TESTS] = '1';
  if (options.controlToken !== undefined) process.env['UNDERSTUDY_CONTROL_TOKEN'] = options.controlToken;
  let ended: Promise<void> | undefined;
  const stop = () => {
    delete process.env['UNDERSTUDY_URL'];
    delete process.env[ENDS_WITH_TESTS];
    return (ended ??= running.stop());
  };
  // jest calls no function that a global setup has returned, so the process waits for the reports before it ends.
  process.once('beforeExit', () => {
    if (ended === undefined) stop().catch(failRun);
  });
  return stop;
}

function failRun({ message }: Error): void {
  console.error(`understudy: ${message}`);
  process.exitCode = 1;
}

export interface ConnectOptions extends Pick<ControlOptions, 'token'> {
  /** Milliseconds to wait for a service that is starting; 30 000 if omitted. */
  timeout?: number;
  /** Called by `stop()`, for example to stop a container; nothing if omitted. */
  stop?: () => Promise<unknown>;
}

const CONNECT_TIMEOUT = 30_000;
const CONNECT: NamesOf<ConnectOptions> = { timeout: true, token: true, stop: true };

/**
 * Connects to a running service, such as a container. `stop()` leaves the service running unless
 * `options.stop` ends it.
 */
export async function connectUnderstudy(url?: string, options: ConnectOptions = {}): Promise<Understudy> {
  checkOptions('connectUnderstudy', options, CONNECT);
  const { timeout = CONNECT_TIMEOUT, token, stop } = options;
  const control = new ControlClient(url, { token });
  await ready(control, timeout);
  return understudyAt(control, { stop: async () => void (await stop?.()) });
}

async function understudyAt(control: ControlClient, running: Omit<Running, 'url'>): Promise<Understudy> {
  return new Understudy(control, await control.environments.get('default'), running);
}

async function ready(control: ControlClient, timeout: number): Promise<void> {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      await control.health();
      return;
    } catch (thrown) {
      if (!(thrown instanceof ConnectionError)) throw thrown;
      if (performance.now() > end) throw unreachable(control, thrown);
    }
    await passing(100);
  }
}

const unreachable = ({ url }: ControlClient, cause: ConnectionError) =>
  new ConnectionError(
    `nothing answers at ${url}: start Understudy there, or correct the address, which may come from UNDERSTUDY_URL (${cause.message})`,
    { cause },
  );
