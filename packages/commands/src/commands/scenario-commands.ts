import { Command, Option } from 'commander';
import { listed } from '@understudy/core/cli/options';
import type { Terminal } from '@understudy/core/parts';
import { addServiceCommands, type ServiceCommand } from './service-command.ts';

const scenarios = () => import('../service/state.ts');

const SCENARIOS: readonly ServiceCommand[] = [
  {
    usage: 'list',
    description: 'list the scenarios that can be loaded; a * marks the loaded ones',
    run: async (session) => (await scenarios()).listScenarios(session),
  },
  {
    usage: 'load <name> [params...]',
    description: 'load a scenario by name, with parameters such as retry_after=5, or from a file',
    run: async (session, [name, ...params]) => (await scenarios()).loadScenario(session, name!, params),
  },
  {
    usage: 'unload [name]',
    description: 'unload a scenario, or all of them',
    run: async (session, [name]) => (await scenarios()).unloadScenario(session, name),
  },
];

/** `scenarios lint`, and the commands that load scenarios into a running service. */
export function scenariosCommand(terminal: Terminal): Command {
  const lint = new Command('lint')
    .description('check scenario files; errors have line and column')
    .argument('<files...>')
    .addOption(
      new Option('--scenarios <folder>', 'a folder with scenarios that the files include; repeatable')
        .argParser(listed)
        .default([], 'none'),
    )
    .action(async (files: string[], { scenarios }: { scenarios: string[] }) => {
      const { lintFiles } = await import('../project/project-files.ts');
      const { lines, good } = lintFiles(files, scenarios);
      terminal.out(lines.map((line) => `${line}\n`).join(''));
      if (!good) terminal.fail();
    });
  const group = new Command('scenarios').description('check, list, load and unload scenarios');
  return addServiceCommands(group.addCommand(lint), SCENARIOS, terminal);
}
