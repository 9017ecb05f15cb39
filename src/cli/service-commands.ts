import { Command, Option } from 'commander';
import { references } from './option-values.ts';
import { addServiceCommands, commandOf, type ServiceCommand } from './service/command.ts';
import type { Terminal } from './service/connect.ts';
import { CLOCK, SNAPSHOT, STATE } from './state-commands.ts';
import { countOfSome, wholeNumber } from './variables.ts';

const following = () => import('./service/follow.ts');
const state = () => import('./service/state.ts');
const environments = () => import('./service/environments.ts');

const WHY = new Option('--why', 'add the reasons for each answer: violations, rules of scenarios');
const FAILED = new Option('--failed', 'only calls that were answered with an error');
const SCENARIO = new Option('--scenario <name>', 'a scenario to load, with its parameters; repeatable')
  .argParser(references)
  .default([], 'none');

const TOP: readonly ServiceCommand[] = [
  {
    usage: 'tail',
    description: 'print calls, mails and webhooks as they happen',
    options: [
      WHY,
      FAILED,
      new Option(
        '--kinds <kinds>',
        'only these, with commas between them: request, state, mail, webhook, clock, scenario, snapshot, environment, reset',
      ),
    ],
    run: async (session, _, flags) => (await following()).tail(session, flags),
  },
  {
    usage: 'requests',
    description: 'print the latest calls of the journal',
    options: [
      WHY,
      FAILED,
      new Option('--operation <name>', 'an operation, or a glob such as UserService_*'),
      new Option('--status <status>', 'a status, or a class such as 4xx'),
      new Option('--limit <number>', 'how many calls to look at').argParser(countOfSome).default(20),
    ],
    run: async (session, _, flags) => (await following()).requests(session, flags),
  },
  {
    usage: 'mail',
    description: 'print the mails with their codes and links',
    options: [
      new Option('--to <address>', 'an address, or a glob such as *@example.com'),
      new Option('--kind <kind>', 'invitation, invitation_reminder, passwordless or verification'),
      new Option('--open', 'open the link of the latest mail in the browser'),
    ],
    run: async (session, _, flags) => (await following()).mail(session, flags),
  },
  {
    usage: 'trigger <event>',
    description: 'emit an event with sample data, such as organization.created',
    options: [
      new Option('--set <path=value>', 'a value of the sample data, such as display_name=Acme; repeatable')
        .argParser((text: string, before: string[]) => [...before, text])
        .default([], 'none'),
      new Option(
        '--like <event>',
        'take the sample data of this event; the emitted type may then be any name',
      ),
    ],
    run: async (session, [event], flags) => (await state()).triggerEvent(session, event!, flags),
  },
  {
    usage: 'reset',
    description: 'reset the environment to its start',
    options: [new Option('--only <parts>', 'only these: state,requests,mail,webhooks,scenarios,clock')],
    run: async (session, _, flags) => (await state()).reset(session, flags),
  },
  {
    usage: 'token',
    description: "print an access token of the environment's client",
    run: async (session) => (await environments()).token(session),
  },
  {
    usage: 'replicas [replica]',
    description: 'list the processes that share a database, or the environments of one (an id, self or none)',
    isWide: true,
    run: async (session, [replica]) => (await environments()).listReplicas(session, replica),
  },
];

const ENVIRONMENTS: readonly ServiceCommand[] = [
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
    run: async (session, [name]) => (await environments()).forkEnvironment(session, name),
  },
  {
    usage: 'drop <name>',
    description: 'drop an environment',
    isWide: true,
    run: async (session, [name]) => (await environments()).dropEnvironment(session, name!),
  },
];

/** The top-level commands that call a running service. */
export function serviceCommands(terminal: Terminal): Command[] {
  const group = (name: string, description: string, members: readonly ServiceCommand[], isDefault?: string) =>
    addServiceCommands(new Command(name).description(description), members, terminal, isDefault);
  return [
    ...TOP.map((each) => commandOf(each, terminal)),
    group('clock', 'show and move the clock of an environment', CLOCK, 'show'),
    group('state', 'show and change the rows of an environment', STATE),
    group('snapshot', 'save the state of an environment and go back to it', SNAPSHOT),
  ];
}

export const addEnvironmentCommands = (group: Command, terminal: Terminal) =>
  addServiceCommands(group, ENVIRONMENTS, terminal);
