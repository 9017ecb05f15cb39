import { readFileSync, realpathSync } from 'node:fs';
import { request } from 'node:http';
import { resolve } from 'node:path';
import { Command, type Option } from 'commander';

/** Where a service of this machine listens. */
export interface Place {
  host: string;
  port: number;
}

/** What is wrong with the service there, if anything is: the port answers without TLS, whatever certificate it shows. */
export function flawOfHealth({ host, port }: Place): Promise<string | undefined> {
  const asked = REACHED[host] ?? host;
  const place = `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}`;
  return new Promise((settle) => {
    const tell = (reason: string) => settle(`no healthy understudy at ${place}: ${reason}`);
    const path = '/_control/v1/health';
    const asking = request({ host: asked, port, path, timeout: 3000 }, (response) => {
      response.resume();
      if (response.statusCode === 200) settle(undefined);
      else tell(`it answers ${response.statusCode}`);
    });
    asking.on('timeout', () => asking.destroy(new Error('no answer within 3 s')));
    asking.on('error', ({ message }) => tell(message));
    asking.end();
  });
}

/** Every address of a machine is no address to call. */
const REACHED: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** What the line says goes before what the main process got, and that before variables and defaults. */
export function placeOf(command: Command, options: readonly Option[], program: string): Place {
  const main = new Command().allowUnknownOption().allowExcessArguments();
  for (const option of options) main.addOption(option);
  const read = (file: string) => readFileSync(file, 'utf8');
  main.parse(argumentsOfMainProcess(program, read), { from: 'user' });
  const told = (name: keyof Place): unknown =>
    (command.getOptionValueSource(name) === 'cli' ? command : main).getOptionValue(name);
  return { host: String(told('host')), port: Number(told('port')) };
}

/**
 * The arguments that `serve` got where it is the main process of a container; `read` reads the file of its command line.
 * `program` is the file that we run.
 */
export function argumentsOfMainProcess(program: string, read: (file: string) => string): string[] {
  try {
    const words = read('/proc/1/cmdline').split('\0').slice(0, -1);
    const own = realpathSync(program);
    const place = words.findIndex((word) => word === program || isSameFile(word, own));
    const [command, ...flags] = place < 0 ? [] : words.slice(place + 1);
    if (command === 'serve') return flags;
    return command?.startsWith('-') ? [command, ...flags] : [];
  } catch {
    return []; // no Linux, or not allowed to look
  }
}

/** A relative name is one of the folder that the main process was started in. */
function isSameFile(word: string, file: string): boolean {
  try {
    return realpathSync(resolve('/proc/1/cwd', word)) === file;
  } catch {
    return false; // it names no file
  }
}
