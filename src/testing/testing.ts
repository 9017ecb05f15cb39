import { setTimeout as passing } from 'node:timers/promises';
import { ConnectionError, ControlClient, type ControlOptions } from '../client/control.ts';
import { checkOptions, type NamesOf } from '../client/options.ts';
import { startChildProcess } from './child-process.ts';
import { startInProcess, type Running } from './in-process.ts';
import { checkStartOptions, type StartOptions } from './start-options.ts';
import { Understudy } from './understudy.ts';

export { ConnectionError, ControlError, VerificationError, WaitError } from '../client/control.ts';
export type { StartOptions } from './start-options.ts';
export type { TestControls } from './test-environment.ts';
export type { EnvironmentOptions, TestEnvironment, Understudy } from './understudy.ts';

/** Starts a service of your own on a free port. It is ready when this resolves. */
export async function startUnderstudy(options: StartOptions = {}): Promise<Understudy> {
  checkStartOptions(options);
  const running = await (options.mode === 'child-process' ? startChildProcess : startInProcess)(options);
  try {
    return await meet(new ControlClient(running.url, { token: options.controlToken }), running);
  } catch (thrown) {
    await running.stop();
    throw thrown;
  }
}

export interface ConnectOptions extends Pick<ControlOptions, 'token'> {
  /** Milliseconds that a service which is just starting has; 30 000 without it. */
  timeout?: number;
  /** What `stop()` does, such as ending the container; nothing without it. */
  stop?: () => Promise<unknown>;
}

const CONNECT: NamesOf<ConnectOptions> = { timeout: true, token: true, stop: true };

/** Joins a service that runs already, such as a container. It goes on when this one is stopped, unless told otherwise. */
export async function connectUnderstudy(url?: string, options: ConnectOptions = {}): Promise<Understudy> {
  checkOptions('connectUnderstudy', options, CONNECT);
  const { timeout = 30_000, token, stop } = options;
  const control = new ControlClient(url, { token });
  await ready(control, timeout);
  return meet(control, { stop: async () => void (await stop?.()) });
}

async function meet(control: ControlClient, running: Omit<Running, 'url'>): Promise<Understudy> {
  return new Understudy(control, await control.environments.get('default'), running);
}

async function ready(control: ControlClient, timeout: number): Promise<void> {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      await control.health();
      return;
    } catch (thrown) {
      if (!(thrown instanceof ConnectionError) || performance.now() > end) throw thrown;
    }
    await passing(100);
  }
}
