import { readFileSync, realpathSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { Command, type Option } from 'commander';
import { readConfigFile } from './config/find-config-file.ts';

/** Host and port of a service on this machine. */
export interface ServiceAddress {
  host: string;
  port: number;
}

/**
 * Returns why the service is unhealthy, or undefined. Calls without TLS, which the port answers whatever its
 * certificate is.
 */
export function healthProblem({ host, port }: ServiceAddress): Promise<string | undefined> {
  const asked = CALLABLE_ADDRESS[host] ?? host;
  const place = `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}`;
  return new Promise((settle) => {
    const fail = (reason: string) => settle(`no healthy understudy at ${place}: ${reason}`);
    const path = '/_control/v1/health';
    const asking = request({ host: asked, port, path, timeout: 15_000 }, (response) => {
      if (response.statusCode === 200) return settle(void response.resume());
      messageIn(response).then(
        (message) => fail(`it answers ${response.statusCode}${message && `: ${message}`}`),
        ({ message }: Error) => fail(message),
      );
    });
    asking.on('timeout', () => asking.destroy(new Error('no answer within 15 s')));
    asking.on('error', ({ message }) => fail(message));
    asking.end();
  });
}

/** Characters of an answer that are read. Another program may answer at the port. */
const MOST_READ = 10_000;
const MOST_SHOWN = 500;

/** Why the service is not ready, in one line; empty if the answer does not say it. */
async function messageIn(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > MOST_READ) return '';
  }
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? plainLine(message).slice(0, MOST_SHOWN) : '';
  } catch {
    return '';
  }
}

const plainLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** The folder that the main process was started in. */
const MAIN_FOLDER = '/proc/1/cwd';

/** A wildcard address cannot be called. */
const CALLABLE_ADDRESS: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Options of the command line come first, then those of the container's main process, then variables, the config
 * file and defaults.
 */
export async function serviceAddressOf(
  command: Command,
  options: readonly Option[],
  program: string,
): Promise<ServiceAddress> {
  const main = new Command().allowUnknownOption().allowExcessArguments();
  for (const option of options) main.addOption(option);
  const read = (file: string) => readFileSync(file, 'utf8');
  const given = argumentsOfMainProcess(program, read);
  main.parse(given ?? [], { from: 'user' });
  await readConfigFile(main, given === undefined ? '.' : MAIN_FOLDER);
  const optionValue = (name: keyof ServiceAddress): unknown =>
    (command.getOptionValueSource(name) === 'cli' ? command : main).getOptionValue(name);
  return { host: String(optionValue('host')), port: Number(optionValue('port')) };
}

/**
 * The arguments of `serve` if `serve` is the main process of the container. `read` reads the file with that
 * process's command line; `program` is the file that runs now. Undefined if another program is the main process.
 */
export function argumentsOfMainProcess(
  program: string,
  read: (file: string) => string,
): string[] | undefined {
  try {
    const words = read('/proc/1/cmdline').split('\0').slice(0, -1);
    const own = realpathSync(program);
    const place = words.findIndex((word) => word === program || isSameFile(word, own));
    const [command, ...flags] = words.slice(place + 1);
    if (place < 0) return undefined;
    if (command === undefined || command === 'serve') return flags;
    return command.startsWith('-') ? [command, ...flags] : undefined;
  } catch {
    return undefined; // Not Linux, or no permission.
  }
}

/** Relative names are resolved in the folder that the main process was started in. */
function isSameFile(word: string, file: string): boolean {
  try {
    return realpathSync(resolve(MAIN_FOLDER, word)) === file;
  } catch {
    return false; // The word names no file.
  }
}
