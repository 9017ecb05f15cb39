import { Contract } from '../contract/contract.ts';
import { readContract, readVersion } from '../documents.ts';
import { machineTime } from '../state/clock.ts';
import { Certificates } from '../server/certificates/certificates.ts';
import { listen } from '../server/port/listener.ts';
import { INBOX, Recorder } from '../server/proxy/recorder.ts';
import type { Terminal } from './service/connect.ts';
import { UsageError } from './usage-error.ts';

export interface RecordOptions {
  to: string;
  out: string;
  port: number;
  host: string;
  allow: readonly string[];
  webhooksTo?: string;
  data: string;
  tlsHost: readonly string[];
}

/** Milliseconds that calls in flight may still take after a stop. */
const TIMEOUT = 1200;
/** Milliseconds between two times at which the shape is written. */
const SHAPE_INTERVAL = 5000;

/** Records until `signal` is aborted. */
export async function record(options: RecordOptions, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const target = targetOf(options.to);
  const tell = (line: string) => terminal.err(`${line}\n`);
  const recorder = new Recorder({
    target,
    webhooksTo: options.webhooksTo === undefined ? undefined : inboxTargetOf(options.webhooksTo),
    folder: options.out,
    began: new Date(machineTime()).toISOString(),
    version: readVersion(),
    allowed: options.allow,
    contract: new Contract(() => readContract('openapi')),
    tell,
  });
  const certificates = new Certificates({ folder: options.data, hosts: options.tlsHost }, tell);
  const { app, rpc } = recorder;
  const listener = await listen({ app, rpc, certificates }, options);
  try {
    refuseItself(target, listener.url);
    terminal.out(announcement(listener.url, options, recorder));
    await untilAborted(signal, () => tryToWriteShape(recorder, tell));
  } finally {
    await listener.stop(TIMEOUT);
    await recorder.close();
  }
  tell(summaryOf(recorder, options));
  if (recorder.refused > 0) terminal.fail();
}

function targetOf(to: string): URL {
  const isOrigin = /^https?:\/\/[^/?#@]+\/?$/.test(to) && URL.canParse(to);
  if (isOrigin) return new URL(to);
  throw new UsageError(
    `--to must be the address of an environment, such as https://acme.scalekit.dev, without path and credentials`,
  );
}

function inboxTargetOf(address: string): URL {
  if (/^https?:\/\/[^/?#@]+/.test(address) && URL.canParse(address)) return new URL(address);
  throw new UsageError(
    '--webhooks-to must be an address of your application, such as http://localhost:3000/webhooks',
  );
}

const OF_THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function refuseItself(target: URL, own: string): void {
  const { port } = new URL(own);
  const isSame = OF_THIS_MACHINE.has(target.hostname) && (target.port || impliedPort(target)) === port;
  if (isSame)
    throw new UsageError(`--to ${target.origin} is the recorder itself: name the service, or another --port`);
}

const impliedPort = ({ protocol }: URL) => (protocol === 'https:' ? '443' : '80');

function untilAborted(signal: AbortSignal, work: () => void): Promise<void> {
  const timer = setInterval(work, SHAPE_INTERVAL);
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** The disk may be full for a while. */
function tryToWriteShape(recorder: Recorder, tell: (line: string) => void): void {
  try {
    recorder.flush();
  } catch (thrown) {
    tell(`the shape is not written: ${(thrown as Error).message}`);
  }
}

function announcement(url: string, { to, out, webhooksTo }: RecordOptions, { earlier }: Recorder): string {
  const shown = url.replace('//127.0.0.1', '//localhost');
  const before = earlier > 0 ? `, after ${earlier} exchanges of before` : '';
  const lines = [
    `Recording ${to.replace(/\/$/, '')} at ${shown}`,
    '',
    `  written to  ${out}${before}`,
    ...(webhooksTo === undefined ? [] : [`  webhooks    ${shown}${INBOX} goes on to ${webhooksTo}`]),
    `  stop        Ctrl+C`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function summaryOf({ written, refused }: Recorder, { out }: RecordOptions): string {
  const count = (number: number) => `${number} ${number === 1 ? 'exchange' : 'exchanges'}`;
  return `${out}: ${count(written)} written${refused > 0 ? `, ${count(refused)} not written` : ''}`;
}
