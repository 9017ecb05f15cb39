import { Command, Option } from 'commander';
import { writeTextFile } from '../../text/files.ts';
import { listed, refuseUnclear, serveOptions } from '../options.ts';
import type { ProjectFolders } from '../project-files.ts';
import type { Terminal } from '../service/connect.ts';
import { wholeNumber } from '../variables.ts';

export function fixturesCommand({ out: print }: Terminal): Command {
  const number = (flags: string, text: string) => new Option(flags, text).argParser(wholeNumber);
  const generate = new Command('generate')
    .description('generate a large fixture')
    .addOption(number('--organizations <number>', 'number of organizations').default(100))
    .addOption(number('--users <number>', 'users per organization').default(10))
    .addOption(number('--seed <number>', 'the same seed writes the same fixture').default(1))
    .addOption(new Option('--out <file>', 'where to write it (default: stdout)'))
    .action(
      async ({ out, ...size }: { organizations: number; users: number; seed: number; out?: string }) => {
        const { generateFixture } = await import('../generate-fixture.ts');
        printOrWrite(generateFixture(size), out, print);
      },
    );
  return new Command('fixtures').description('work with fixtures').addCommand(generate);
}

export function typesCommand({ out: print }: Terminal): Command {
  const folders = (flags: string, text: string) =>
    new Option(flags, `${text}; repeatable`).argParser(listed).default([], 'none');
  return new Command('types')
    .description('declare the scenarios and fixtures of your project for TypeScript')
    .addOption(folders('--scenarios <folder>', 'a folder with your own scenarios'))
    .addOption(folders('--fixtures <folder>', 'a folder with your own fixtures'))
    .option('--out <file>', 'where to write it, such as understudy.d.ts (default: stdout)')
    .action(async ({ out, ...found }: ProjectFolders & { out?: string }) => {
      const { projectTypes } = await import('../project-files.ts');
      printOrWrite(projectTypes(found), out, print);
    });
}

function printOrWrite(text: string, file: string | undefined, print: Terminal['out']): void {
  if (file === undefined) print(text);
  else writeTextFile(file, text);
}

const CONFIG_EXIT_CODES = '\nExit codes: 0 if the settings are valid, 1 otherwise.';

/** `understudy config` takes the flags of `serve`. */
export function configCommand({ variables, out }: Terminal): Command {
  const options = serveOptions(variables);
  const command = new Command('config')
    .description('print the settings that serve would use with the same flags, and where each comes from')
    .addHelpText('after', CONFIG_EXIT_CODES);
  for (const option of options) command.addOption(option);
  command.addOption(new Option('--schema', 'print the JSON schema of a config file'));
  return command.action(async ({ json, schema }: { json?: true; schema?: true }) => {
    const { applyConfigFile, configSchema, describeSettings } = await import('../config/apply.ts');
    if (schema) return out(`${JSON.stringify(configSchema(options), null, 2)}\n`);
    refuseUnclear(command, variables);
    out(describeSettings(command, applyConfigFile(command, '.'), json === true));
  });
}
