import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { follow, freePort, type Service } from './process.ts';

const PROGRAM = join(import.meta.dirname, 'webhook-receiver.mjs');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** One delivery attempt that the receiver got. */
export interface Arrival {
  path: string;
  id: string;
  /** The timestamp of the signature, in seconds. */
  timestamp: number;
  isSigned: boolean;
  event: { id: string; type: string; data: { id: string; display_name: string } };
}

export interface ReceiverProcess {
  url: string;
  port: number;
  /** In order of arrival; a killed process keeps its arrivals. */
  arrivals: Arrival[];
  /** Resolves when `count` attempts have arrived. */
  came(count: number): Promise<void>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
}

/**
 * A webhook receiver process that ends with the test. It responds 200 after `delay` milliseconds, or never
 * if it is `silent`.
 */
export async function receiverProcess({
  port,
  delay = 0,
  silent = false,
}: { port?: number; delay?: number; silent?: boolean } = {}): Promise<ReceiverProcess> {
  const args = ['--port', String(port ?? (await freePort())), '--secret', SECRET, '--delay', String(delay)];
  const child = spawn(process.execPath, [PROGRAM, ...args, ...(silent ? ['--silent'] : [])]);
  const { output, exited, line } = follow(child);
  const { url } = JSON.parse(await line(/^\{.*\}$/m)) as { url: string };
  const arrivals: Arrival[] = [];
  let read = output.stdout.indexOf('\n') + 1;
  const look = () => {
    for (let end = output.stdout.indexOf('\n', read); end >= 0; end = output.stdout.indexOf('\n', read)) {
      arrivals.push(JSON.parse(output.stdout.slice(read, end)) as Arrival);
      read = end + 1;
    }
  };
  child.stdout.on('data', look);
  return {
    url,
    port: Number(new URL(url).port),
    arrivals,
    async came(count) {
      for (look(); arrivals.length < count; look()) await once(child.stdout, 'data');
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export interface Delivery {
  id: string;
  event_id: string;
  status: string;
  created_at: string;
  next_attempt_at?: string;
  attempts: { time: string; status?: number; error?: string }[];
}

/** Creates a webhook endpoint with this URL. */
export async function listen({ control }: Service, url: string, more: object = {}): Promise<void> {
  await control
    .post('/webhooks/endpoints')
    .send({ url, secret: SECRET, ...more })
    .expect(201);
}

/** Waits for `count` deliveries with this status. */
export async function delivered(
  { control }: Service,
  count: number,
  status = 'SUCCESS',
): Promise<Delivery[]> {
  const query = `count=${count}&status=${status}&timeout=2m`;
  return (await control.get(`/webhooks/deliveries/wait?${query}`).expect(200)).body.deliveries;
}

/** The deliveries as they are now, without waiting. */
export const deliveriesOf = async ({ control }: Service): Promise<Delivery[]> =>
  (await control.get('/webhooks/deliveries?limit=1000').expect(200)).body.deliveries;
