import { CommanderError } from 'commander';
import { Contract } from '@understudy/core/contract/contract';
import { readContract, readVersion } from '@understudy/core/contract/documents';
import { machineTime } from '@understudy/core/state/clock';
import { Certificates } from '@understudy/core/server/certificates/certificates';
import { listen } from '@understudy/core/server/port/listener';
import { INBOX, Recorder } from '../proxy/recorder.ts';
import { runCommand } from './run-command.ts';
import type { Terminal } from '@understudy/core/parts';
import { UsageError } from '@understudy/core/cli/usage-error';
import { counted } from '@understudy/text/words';

export interface RecordOptions {
  to: string;
  out: string;
  port: number;
  host: string;
  allow: readonly string[];
  webhooksTo?: string;
  data: string;
  tlsHost: readonly string[];
  /** A program that calls the recorder, with its arguments. Empty: programs of others call it. */
  command: readonly string[];
}

/** Milliseconds that calls in flight may still take after a stop. */
const TIMEOUT = 1200;
/** Milliseconds between two times at which the shape is written. */
const SHAPE_INTERVAL = 5000;

/** Records until `signal` is aborted, or until the command has ended. Throws CommanderError with its exit code. */
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
  let code = 0;
  try {
    refuseItself(target, listener.url);
    code = await recordWhile(
      () => calling(listener.url, options, recorder, terminal, signal),
      () => tryToWriteShape(recorder, tell),
    );
  } finally {
    await listener.stop(TIMEOUT);
    await recorder.close();
  }
  tell(summaryOf(recorder, options));
  if (code !== 0) throw new CommanderError(code, 'understudy.record', 'the command has failed');
  if (recorder.refused > 0) terminal.fail();
}

/** Resolves when nothing more is to be recorded, with the exit code. */
async function calling(
  url: string,
  options: RecordOptions,
  recorder: Recorder,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { command } = options;
  if (command.length === 0) {
    terminal.out(announcement(url, options, recorder));
    await untilAborted(signal);
    return 0;
  }
  // The output belongs to the command.
  terminal.err(announcement(url, options, recorder));
  const variables = { ...terminal.variables, SCALEKIT_ENVIRONMENT_URL: url, SCALEKIT_ENV_URL: url };
  return runCommand(command, { ...terminal, variables }, signal);
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

async function recordWhile<T>(calls: () => Promise<T>, work: () => void): Promise<T> {
  const timer = setInterval(work, SHAPE_INTERVAL);
  try {
    return await calls();
  } finally {
    clearInterval(timer);
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The disk may be full for a while. */
function tryToWriteShape(recorder: Recorder, tell: (line: string) => void): void {
  try {
    recorder.flush();
  } catch (thrown) {
    tell(`the shape is not written: ${(thrown as Error).message}`);
  }
}

function announcement(
  url: string,
  { to, out, webhooksTo, command }: RecordOptions,
  { earlier }: Recorder,
): string {
  const shown = url.replace('//127.0.0.1', '//localhost');
  const before = earlier > 0 ? `, after ${earlier} exchanges of before` : '';
  const lines = [
    `Recording ${to.replace(/\/$/, '')} at ${shown}`,
    '',
    `  written to  ${out}${before}`,
    ...(webhooksTo === undefined ? [] : [`  webhooks    ${shown}${INBOX} goes on to ${webhooksTo}`]),
    `  stop        ${command.length === 0 ? 'Ctrl+C' : `when ${command[0]} ends`}`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function summaryOf({ written, refused }: Recorder, { out }: RecordOptions): string {
  const left = refused > 0 ? `, ${counted(refused, 'exchange')} not written` : '';
  return `${out}: ${counted(written, 'exchange')} written${left}`;
}
