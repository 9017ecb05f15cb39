import { Command, CommanderError, Option } from 'commander';
import { portNumber } from '@understudy/core/cli/variables';
import type { Shell, Terminal } from '@understudy/core/parts';

const CANNOT = 2;

const OPEN_HELP = `
The command shows the environment of a test that has failed, as it was then, in the dashboard. It needs neither the project of the
test nor its service. Nothing changes the environment; a fork of it runs.

Example: understudy open test-results/expired-invitation.understudy

Exit codes: 0 after Ctrl+C, 2 if the file cannot be opened.`;

const REPLAY_HELP = `
The command makes the calls of a bundle again, with its rows, clock and seed, and compares the answers. Times and ids may differ as
far as the clock of the bundle ran, and secrets always do.

Example: understudy replay test-results/expired-invitation.understudy

Exit codes: 0 if all answers are equal, 1 if one differs, 2 if the file cannot be replayed.`;

export const commands = ({ terminal, interruption }: Shell): Command[] => [
  new Command('open')
    .description('show a run bundle in the dashboard')
    .argument('<file>', 'a run bundle, such as test-results/expired-invitation.understudy')
    .addOption(
      new Option('--port <port>', 'where the dashboard listens; without it, on a free port').argParser(
        portNumber,
      ),
    )
    .addHelpText('after', OPEN_HELP)
    .action((file: string, { port = 0 }: { port?: number }) =>
      orExplain(terminal, async () => (await import('./show.ts')).show(file, port, terminal, interruption())),
    ),
  new Command('replay')
    .description('make the calls of a run bundle again, and compare the answers')
    .argument('<file>', 'a run bundle, such as test-results/expired-invitation.understudy')
    .addOption(new Option('--json', 'print the result as JSON'))
    .addHelpText('after', REPLAY_HELP)
    .action((file: string, { json = false }: { json?: boolean }) =>
      orExplain(terminal, async () => (await import('./replay/report.ts')).replayFile(file, json, terminal)),
    ),
];

async function orExplain(terminal: Terminal, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    const { explain } = await import('@understudy/core/cli/explain');
    terminal.err(`understudy: ${explain(thrown)}\n`);
    throw new CommanderError(CANNOT, 'understudy.bundle', 'the bundle cannot be used');
  }
}
