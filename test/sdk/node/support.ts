import { ScalekitClient, ScalekitTooManyRequestsException, type ScalekitOptions } from '@scalekit-sdk/node';
import { expect } from 'vitest';

export { ACME, ADA, EMPTY_DESK, LENA, NINA, NORDWIND, RAVI } from '../../support/fixture-ids.ts';

export interface Wanted extends ScalekitOptions {
  clientSecret?: string;
  /** Uses TLS. The process must trust the simulator's authority. */
  encrypted?: boolean;
}

export interface Environment {
  clientId: string;
  clientSecret: string;
  /** Creates an SDK client, which has no token yet. */
  connect(wanted?: Wanted): ScalekitClient;
  /** Loads a shipped scenario. */
  play(name: string, params?: Record<string, unknown>): Promise<void>;
  /** Calls the control API of this environment; throws when the status is not 2xx. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Creates an environment with the rows of the default fixture. */
export async function enter(): Promise<Environment> {
  const { name, client_id, client_secret } = (await ask(
    variable('CONTROL'),
    'POST',
    '/environments',
    {},
  )) as {
    name: string;
    client_id: string;
    client_secret: string;
  };
  const control: Environment['control'] = (...call) =>
    ask(`${variable('CONTROL')}/environments/${name}`, ...call);
  return {
    clientId: client_id,
    clientSecret: client_secret,
    connect: ({ encrypted, clientSecret = client_secret, ...options } = {}) =>
      new ScalekitClient(variable(encrypted ? 'TLS_URL' : 'URL'), client_id, clientSecret, options),
    control,
    play: async (name, params = {}) => void (await control('POST', '/scenarios', { name, params })),
  };
}

/** Makes the next call of an operation respond with 429, and expects the call after it to succeed. */
export async function expectThrottledOnce(env: Environment, operation: string, call: () => Promise<unknown>) {
  await env.play('rate-limit-once', { operation });
  await expect(call()).rejects.toThrow(ScalekitTooManyRequestsException);
  await call();
}

async function ask(base: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${base}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return text && JSON.parse(text);
}

function variable(name: string): string {
  const value = process.env[`UNDERSTUDY_${name}`];
  if (!value) throw new Error(`UNDERSTUDY_${name} is not set: start this with npm run test:sdk`);
  return value;
}
