import { Command, Option } from 'commander';
import {
  serviceOptions,
  wholeServiceOptions,
  coverageOptions,
  reportOptions,
  listed,
  references,
  refuseUnclear,
  serveOptions,
} from './options.ts';
import type { Session, Target, Terminal } from './service/connect.ts';
import type { CreateOptions } from './service/environments.ts';
import type { MailOptions, RequestsOptions, TailOptions } from './service/follow.ts';
import type { EditOptions, ResetOptions, RowFilter, TriggerOptions } from './service/state.ts';
import { writeTextFile } from '../files.ts';
import type { ProjectFolders } from './project-files.ts';
import { wholeNumber, countOfSome } from './variables.ts';
import type { CoverageOptions, ReportOptions } from './report.ts';

const EXIT_CODES = '\nExit codes: 0 if the service did what was asked, 1 otherwise.';

/** The flags of the commands; each command has some of them. */
type Flags = TailOptions &
  RequestsOptions &
  MailOptions &
  EditOptions &
  RowFilter &
  TriggerOptions &
  ResetOptions &
  CreateOptions;

/** A command that calls a running service. */
interface ServiceCommand {
  /** Name and arguments, such as `advance <duration>`. */
  usage: string;
  description: string;
  options?: readonly Option[];
  /** Whether the command is not about one environment. */
  isWide?: true;
  /** `args` are the arguments in order, without missing ones. */
  run: (session: Session, args: readonly string[], flags: Flags) => Promise<void>;
}

/** Adds the commands to a group. `isDefault` names the one that runs without a name. */
function addServiceCommands(
  group: Command,
  members: readonly ServiceCommand[],
  terminal: Terminal,
  isDefault?: string,
): Command {
  for (const each of members) {
    const command = commandOf(each, terminal);
    group.addCommand(command, { isDefault: command.name() === isDefault });
  }
  return group;
}

function commandOf(
  { usage, description, options = [], isWide, run }: ServiceCommand,
  terminal: Terminal,
): Command {
  const [name = '', ...args] = usage.split(' ');
  const command = new Command(name).description(description).addHelpText('after', EXIT_CODES);
  for (const arg of args) command.argument(arg);
  const common = (isWide ? wholeServiceOptions : serviceOptions)(terminal.variables);
  for (const option of [...options, ...common]) command.addOption(option);
  return command.action(async () => {
    const { url, environment, json = false, ...flags } = command.opts<Flags & Target & { json?: boolean }>();
    const { openSession } = await import('./service/connect.ts');
    const token = terminal.variables['UNDERSTUDY_CONTROL_TOKEN'] || undefined;
    const session = await openSession({ url, environment, token }, terminal, json);
    await run(session, command.args, flags);
  });
}

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
        const { generateFixture } = await import('./generate-fixture.ts');
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
      const { projectTypes } = await import('./project-files.ts');
      printOrWrite(projectTypes(found), out, print);
    });
}

function printOrWrite(text: string, file: string | undefined, print: Terminal['out']): void {
  if (file === undefined) print(text);
  else writeTextFile(file, text);
}

const FAILURES = 'if the report cannot be made or written, if less is covered than --fail-under says';

/** `coverage` and `report`: what a running service knows about its run. */
export function reportCommands(terminal: Terminal): Command[] {
  return [coverageCommand(terminal), reportCommand(terminal)];
}

function coverageCommand(terminal: Terminal): Command {
  const { variables } = terminal;
  const command = new Command('coverage')
    .description('show which parts of the contract a running service has covered, or merge saved reports')
    .argument('[files...]', 'saved reports (JSON); without files, a running service is asked')
    .addHelpText('after', `\nExit codes: 0 if all went well, 1 ${FAILURES.replace(',', ', or')}.`);
  for (const option of coverageOptions(variables)) command.addOption(option);
  return command.action(async (files: string[], options: CoverageOptions) => {
    const { coverage } = await import('./report.ts');
    show(await coverage(files, { ...options, token: tokenIn(terminal) }), options.out, terminal);
  });
}

function reportCommand(terminal: Terminal): Command {
  const command = new Command('report')
    .description('report unused rules, violations of the contract and coverage of a running service')
    .addHelpText(
      'after',
      `\nExit codes: 0 if all went well, 1 ${FAILURES}, or with --fail if it has a problem.`,
    );
  for (const option of reportOptions(terminal.variables)) command.addOption(option);
  return command.action(async (options: ReportOptions) => {
    const { report } = await import('./report.ts');
    show(await report({ ...options, token: tokenIn(terminal) }), options.out, terminal);
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

const scenarios = () => import('./service/state.ts');

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
      const { lintFiles } = await import('./project-files.ts');
      const { lines, good } = lintFiles(files, scenarios);
      terminal.out(lines.map((line) => `${line}\n`).join(''));
      if (!good) terminal.fail();
    });
  const group = new Command('scenarios')
    .alias('scenario')
    .description('check, list, load and unload scenarios');
  return addServiceCommands(group.addCommand(lint), SCENARIOS, terminal);
}

const state = () => import('./service/state.ts');

const EVENTS = new Option('--events', 'emit events and webhooks, as a change made by the service does');

const CLOCK: readonly ServiceCommand[] = [
  {
    usage: 'show',
    description: 'print the time of the environment (the default)',
    run: async (session) => (await state()).showClock(session),
  },
  {
    usage: 'advance <duration>',
    description: 'move the clock forward, such as by 25h; everything that is due happens',
    run: async (session, [by]) => (await state()).advanceClock(session, by!),
  },
  {
    usage: 'freeze [time]',
    description: 'stop the clock, at a time such as 2026-03-01T09:00:00Z or now',
    run: async (session, [at]) => (await state()).freezeClock(session, at),
  },
  {
    usage: 'set <time>',
    description:
      "let the clock run with the machine's: real, from an offset such as now-14d, or from a time such as 2030-01-01T09:00:00Z",
    run: async (session, [to]) => (await state()).setClock(session, to!),
  },
];

const STATE: readonly ServiceCommand[] = [
  {
    usage: 'get [collection] [id]',
    description: 'print how many rows there are, the rows of a collection, or one row',
    options: [
      new Option('--where <member=value>', 'only rows whose member has this value; repeatable').argParser(
        listed,
      ),
      new Option('--contains <words>', 'only rows of the collection that have each of these words'),
      new Option('--sort <member>', 'the member that orders the rows (default: the oldest row first)'),
      new Option('--reverse', 'turn the order around'),
      new Option('--limit <number>', 'the largest number of rows (default: all)').argParser(countOfSome),
    ],
    run: async (session, address, flags) => (await state()).getState(session, address, flags),
  },
  {
    usage: 'patch <collection> <id> <values...>',
    description: 'change a row by values such as display_name=Acme or one JSON object; null removes a member',
    options: [EVENTS],
    run: async (session, [collection, id, ...values], flags) =>
      (await state()).patchRow(session, { collection: collection!, id: id! }, values, flags),
  },
  {
    usage: 'put <collection> <id> <values...>',
    description: 'create or replace a row',
    options: [EVENTS],
    run: async (session, [collection, id, ...values], flags) =>
      (await state()).putRow(session, { collection: collection!, id: id! }, values, flags),
  },
  {
    usage: 'delete <collection> <id>',
    description: 'delete a row and the rows that cannot exist without it',
    options: [EVENTS],
    run: async (session, [collection, id], flags) =>
      (await state()).deleteRow(session, { collection: collection!, id: id! }, flags),
  },
];

const SNAPSHOT: readonly ServiceCommand[] = [
  {
    usage: 'take <name>',
    description: 'save rows, ids, clock and scenarios under a name',
    run: async (session, [name]) => (await state()).takeSnapshot(session, name!),
  },
  {
    usage: 'restore <name>',
    description: 'go back to a snapshot',
    run: async (session, [name]) => (await state()).restoreSnapshot(session, name!),
  },
  {
    usage: 'list',
    description: 'list the snapshots',
    run: async (session) => (await state()).listSnapshots(session),
  },
  {
    usage: 'delete <name>',
    description: 'delete a snapshot',
    run: async (session, [name]) => (await state()).deleteSnapshot(session, name!),
  },
];

const following = () => import('./service/follow.ts');
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
    const { applyConfigFile, configSchema, describeSettings } = await import('./config/apply.ts');
    if (schema) return out(`${JSON.stringify(configSchema(options), null, 2)}\n`);
    refuseUnclear(command, variables);
    out(describeSettings(command, applyConfigFile(command, '.'), json === true));
  });
}
