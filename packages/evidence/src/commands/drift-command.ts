import { Command, CommanderError, Option } from 'commander';
import type { DriftOptions } from './drift.ts';
import type { Terminal } from '@understudy/core/parts';
import { clientOptions, paceOption } from './client-options.ts';

export const DRIFT_FORMATS = ['text', 'json', 'junit', 'github', 'html'] as const;
const SEVERITIES = ['breaking', 'notable', 'cosmetic'] as const;

const HELP = `
SOURCE is one of these: the folder of a recording (understudy record), its file shape.yaml, the answers of understudy probe
(.json), or a file of probes (.yaml). With --contract, there is no SOURCE. For a recording, the command starts an Understudy, makes
the same calls again, and compares the answers.

Severities: breaking (programs fail, for example a field is missing), notable (for example another value), cosmetic (for example
the text of a message).

Exit codes: 0 if nothing differs, 1 if something differs at least as severely as --fail-on says, 2 if the comparison cannot be made.`;

const FAILED = 2;

/** `understudy drift`. The signal of `interruption` is aborted by Ctrl+C. */
export function driftCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('drift')
    .description('say what a service, such as the real one, does differently from Understudy')
    .argument('[source]', 'a recording, its shape, answers of probes, or probes')
    .addHelpText('after', HELP);
  for (const option of driftOptions()) command.addOption(option);
  // The program hands its settings on to its commands.
  command.copyInheritedSettings = (program) =>
    Command.prototype.copyInheritedSettings
      .call(command, program)
      .exitOverride(({ exitCode, code, message }) => {
        throw new CommanderError(exitCode && FAILED, code, message);
      });
  return command.action(async (source: string | undefined, options: DriftOptions) => {
    const { drift } = await import('./drift.ts');
    try {
      await drift(source, options, terminal, interruption());
    } catch (thrown) {
      const { explain } = await import('@understudy/core/cli/explain');
      terminal.err(`understudy: ${explain(thrown)}\n`);
      throw new CommanderError(FAILED, 'understudy.drift', 'the comparison cannot be made');
    }
  });
}

const driftOptions = (): Option[] => [
  new Option(
    '--contract <file>',
    'compare this API document (OpenAPI 3 or Swagger 2), which the vendor has published, with the one of Understudy',
  ),
  new Option(
    '--fixture <file>',
    'a fixture with the rows that the service had when the recording began: understudy pull writes it',
  ),
  new Option(
    '--against <url>',
    'for a recording: play it on this running Understudy; for a file of probes: ask this service',
  ),
  ...clientOptions(),
  paceOption(),
  new Option('--fail-on <severity>', 'end with 1 if a difference is at least this severe')
    .choices(SEVERITIES)
    .default('notable'),
  new Option(
    '--format <format>',
    'the format of the report (default: .html, .xml (JUnit) and .json files of --out say it, otherwise text)',
  ).choices(DRIFT_FORMATS),
  new Option('--out <file>', 'write the report to this file (default: stdout)'),
  new Option(
    '--propose <folder>',
    'write to this folder a scenario with which Understudy does the same as the service',
  ),
];
