import { ConnectionError, ControlClient, type EnvironmentControl } from '@understudy/client/control';
import type { Terminal } from '../../parts.ts';
import { waysTo } from '../../server/address.ts';

export type { Terminal } from '../../parts.ts';

/** A running service and one of its environments. */
export interface Target {
  url: string;
  environment: string;
  /** The token of the control API. */
  token: string | undefined;
}

/** Finds the running service. Throws ConnectionError if nothing answers, ControlError for a refused token. */
export async function connect({ url, token }: Omit<Target, 'environment'>): Promise<ControlClient> {
  let failure: ConnectionError | undefined;
  for (const address of waysTo(url)) {
    const control = new ControlClient(address, token === undefined ? {} : { token });
    try {
      await control.health();
      return control;
    } catch (thrown) {
      if (!(thrown instanceof ConnectionError)) throw thrown;
      failure ??= thrown;
    }
  }
  const remedy = 'start the service, or say with --url where it is';
  throw new ConnectionError(`nothing answers at ${url}: ${remedy} (${failure?.message})`, { cause: failure });
}

/** What a command works with: the service, one environment of it, and the output. */
export interface Session {
  service: ControlClient;
  environment: EnvironmentControl;
  terminal: Terminal;
  /** Prints one line of JSON with `--json`, otherwise the lines of text. `none` goes to stderr if there are no lines. */
  print: (value: unknown, lines: string | readonly string[], none?: string) => void;
}

/** Names and subjects come from callers: a terminal must not take parts of them for commands. */
const printable = (line: string) => line.replace(/(?!\n)\p{Cc}/gu, '?');

export async function openSession(target: Target, terminal: Terminal, json: boolean): Promise<Session> {
  const service = await connect(target);
  return {
    service,
    environment: service.environment(target.environment),
    terminal,
    print: (value, lines, none) => {
      if (!json && none !== undefined && lines.length === 0) return terminal.err(`${none}\n`);
      const shown = json ? [JSON.stringify(value)] : [lines].flat().map(printable);
      terminal.out(shown.map((line) => `${line}\n`).join(''));
    },
  };
}

/** Pads the cells so that the columns of all rows are aligned. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
