import type { ControlClient, EnvironmentControl } from '@understudy/client/control';
import { connect, type Target } from '@understudy/core/cli/connect';
import type { Terminal } from '@understudy/core/parts';

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
