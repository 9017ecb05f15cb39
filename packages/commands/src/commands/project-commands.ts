import { Command, Option } from 'commander';
import { writeTextFile } from '@understudy/text/files';
import { listed } from '@understudy/core/cli/options';
import type { ProjectFolders } from '../project/project-files.ts';
import type { Terminal } from '@understudy/core/parts';
import { wholeNumber } from '@understudy/core/cli/variables';

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
        const { generateFixture } = await import('../project/generate-fixture.ts');
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
      const { projectTypes } = await import('../project/project-files.ts');
      printOrWrite(projectTypes(found), out, print);
    });
}

function printOrWrite(text: string, file: string | undefined, print: Terminal['out']): void {
  if (file === undefined) print(text);
  else writeTextFile(file, text);
}
