import { Option } from 'commander';
import { references } from '@understudy/core/cli/options';
import { wholeNumber } from '@understudy/core/cli/variables';
import { AT } from './state-commands.ts';
import type { ServiceCommand } from './service-command.ts';

const environments = () => import('../service/environment-calls.ts');

const SCENARIO = new Option('--scenario <name>', 'a scenario to load, with its parameters; repeatable')
  .argParser(references)
  .default([], 'none');

export const PROCESSES: readonly ServiceCommand[] = [
  {
    usage: 'token',
    description: "print an access token of the environment's client",
    run: async (session) => (await environments()).token(session),
  },
];

export const ENVIRONMENTS: readonly ServiceCommand[] = [
  {
    usage: 'list',
    description: 'list the environments',
    isWide: true,
    run: async (session) => (await environments()).listEnvironments(session),
  },
  {
    usage: 'create [name]',
    description: 'create an environment and print its credentials',
    isWide: true,
    options: [
      new Option('--fixture <name>', 'the rows to start with (default: those of environment default)'),
      new Option('--seed <number>', 'the number that ids, secrets and random values come from').argParser(
        wholeNumber,
      ),
      SCENARIO,
      new Option('--persist', 'store the environment on disk'),
      new Option('--strict', 'refuse fields that the contract does not name'),
    ],
    run: async (session, [name], flags) => (await environments()).createEnvironment(session, name, flags),
  },
  {
    usage: 'fork [name]',
    description: 'copy the environment of --environment and print the credentials of the copy',
    options: [AT],
    run: async (session, [name], flags) => (await environments()).forkEnvironment(session, name, flags),
  },
  {
    usage: 'drop <name>',
    description: 'drop an environment',
    isWide: true,
    run: async (session, [name]) => (await environments()).dropEnvironment(session, name!),
  },
];
