import { Command, Option } from 'commander';
import { urlOption } from '@understudy/core/cli/options';
import { percentage, type Variables } from '@understudy/core/cli/variables';
import { FIGURES } from '@understudy/core/coverage/report';
import type { ReportFormat } from '@understudy/report/formats';
import type { CoverageOptions, ReportOptions } from '../report/report.ts';
import type { Terminal } from '@understudy/core/parts';

const FAILURES = 'if the report cannot be made or written, if less is covered than --fail-under says';

/** `coverage` and `report`: what a running service knows about its run. */
export function reportCommands(terminal: Terminal): Command[] {
  return [coverageCommand(terminal), reportCommand(terminal)];
}

function coverageCommand(terminal: Terminal): Command {
  const { variables } = terminal;
  const command = new Command('coverage')
    .description('show which parts of the contract a running service has covered, or merge saved reports')
    .argument(
      '[files...]',
      'saved reports (.json), or their folders; without files, a running service is asked',
    )
    .addHelpText('after', `\nExit codes: 0 if all went well, 1 ${FAILURES.replace(',', ', or')}.`);
  for (const option of coverageOptions(variables)) command.addOption(option);
  return command.action(async (files: string[], options: CoverageOptions) => {
    const { coverage } = await import('../report/report.ts');
    show(await coverage(files, { ...options, token: tokenIn(terminal) }), options.out, terminal);
  });
}

function reportCommand(terminal: Terminal): Command {
  const command = new Command('report')
    .description(
      'report unused rules, violations of the contract and coverage of a running service, or merge saved reports',
    )
    .argument(
      '[files...]',
      'reports that --report has written (.json), or their folders; without files, a running service is asked',
    )
    .addHelpText(
      'after',
      `\nExit codes: 0 if all went well, 1 ${FAILURES}, or with --fail if it has a problem.`,
    );
  for (const option of reportOptions(terminal.variables)) command.addOption(option);
  return command.action(async (files: string[], options: ReportOptions) => {
    const { report } = await import('../report/report.ts');
    show(await report(files, { ...options, token: tokenIn(terminal) }), options.out, terminal);
  });
}

const tokenIn = ({ variables }: Terminal) => variables['UNDERSTUDY_CONTROL_TOKEN'] || undefined;

function show(
  { text, failure }: { text: string; failure: string | undefined },
  file: string | undefined,
  { out, err, fail }: Terminal,
): void {
  out(text);
  if (file !== undefined) err(`the report is in ${file}\n`);
  if (failure === undefined) return;
  err(`understudy: ${failure}\n`);
  fail();
}

const environmentOption = () =>
  new Option('--environment <name>', 'an environment (default: all that the process has had)');

const limitOptions = () => [
  new Option('--fail-under <percent>', 'exit with 1 if less is covered').argParser(percentage),
  new Option('--of <figure>', 'the percentage that --fail-under checks').choices(FIGURES).default(FIGURES[0]),
];

export const coverageOptions = (variables: Variables): Option[] => [
  urlOption(variables),
  environmentOption(),
  new Option('--format <format>', 'the format of the report')
    .choices(['text', 'json', 'html'])
    .default('text'),
  new Option('--out <file>', 'the file to write (default: stdout)'),
  ...limitOptions(),
];

export const reportOptions = (variables: Variables): Option[] => [
  urlOption(variables),
  environmentOption(),
  new Option(
    '--format <format>',
    'the format (default: that of an --out file which ends in .html, .xml, .md or .json, otherwise text)',
  ).choices(['text', 'junit', 'github', 'html', 'markdown', 'json'] satisfies ReportFormat[]),
  new Option('--out <file>', 'the file to write (default: stdout)'),
  ...limitOptions(),
  new Option('--fail', 'exit with 1 if the report has a problem'),
];
