import { Command, CommanderError, Option } from 'commander';
import type { DriftOptions } from '../drift/drift.ts';
import type { Terminal } from '../service/connect.ts';
import { clientOptions, paceOption } from './client-options.ts';

export const DRIFT_FORMATS = ['text', 'json', 'junit', 'github', 'html'] as const;
const SEVERITIES = ['breaking', 'notable', 'cosmetic'] as const;

const HELP = `
SOURCE is the folder of a recording, the shape.yaml of one, a file of probes, or the answers that understudy probe has
written. A recording is played again on an Understudy of its own, unless --against names a running one.

Exit codes: 0 if nothing differs, 1 if something differs as severely as --fail-on says, 2 if the comparison cannot be made.`;

const FAILED = 2;

/** `understudy drift`. The signal of `interruption` is aborted by Ctrl+C. */
export function driftCommand(terminal: Terminal, interruption: () => AbortSignal): Command {
  const command = new Command('drift')
    .description('compare a recording, a shape, probes or a published document of a service with Understudy')
    .argument('[source]', 'what was seen of the service')
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
    const { drift } = await import('../drift/drift.ts');
    try {
      await drift(source, options, terminal, interruption());
    } catch (thrown) {
      const { explain } = await import('../explain.ts');
      terminal.err(`understudy: ${explain(thrown)}\n`);
      throw new CommanderError(FAILED, 'understudy.drift', 'the comparison cannot be made');
    }
  });
}

const driftOptions = (): Option[] => [
  new Option('--contract <file>', 'compare this OpenAPI or Swagger document with the contract'),
  new Option(
    '--fixture <file>',
    'the rows that the service had when the recording began, from understudy pull',
  ),
  new Option('--against <url>', 'a running Understudy for a recording, or the service for a file of probes'),
  ...clientOptions(),
  paceOption(),
  new Option('--fail-on <severity>', 'the least severe difference that fails')
    .choices(SEVERITIES)
    .default('notable'),
  new Option(
    '--format <format>',
    'the format (default: as the name of the --out file says, otherwise text)',
  ).choices(DRIFT_FORMATS),
  new Option('--out <file>', 'the file to write (default: stdout)'),
  new Option(
    '--propose <folder>',
    'write a scenario and a change of the contract that make Understudy do the same',
  ),
];
