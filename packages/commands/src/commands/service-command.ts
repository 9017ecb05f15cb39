import { Command, type Option } from 'commander';
import { serviceOptions } from '@understudy/core/cli/options';
import { UsageError } from '@understudy/core/cli/usage-error';
import type { Target } from '@understudy/core/cli/connect';
import type { Terminal } from '@understudy/core/parts';
import type { Session } from '../service/session.ts';
import type { CreateOptions } from '../service/environment-calls.ts';
import type { FixOptions } from '../service/fix-call.ts';
import type { IdpFlags } from '../service/idp-calls.ts';
import type { MailOptions, RequestsOptions, TailOptions } from '../service/follow.ts';
import type {
  EditOptions,
  ResetOptions,
  RotationOptions,
  RowFilter,
  TriggerOptions,
} from '../service/state.ts';

const EXIT_CODES = '\nExit codes: 0 if the service did what was asked, 1 otherwise.';

/** The flags of the commands; each command has some of them. */
type Flags = TailOptions &
  RequestsOptions &
  MailOptions &
  EditOptions &
  RowFilter &
  TriggerOptions &
  ResetOptions &
  RotationOptions &
  CreateOptions &
  IdpFlags &
  FixOptions;

/** A command that calls a running service. */
export interface ServiceCommand {
  /** Name and arguments, such as `advance <duration>`. */
  usage: string;
  description: string;
  options?: readonly Option[];
  /** Whether the command is not about one environment. */
  isWide?: true;
  /** Whether one asks it about the calls of a test that has failed. */
  isOfTests?: true;
  /** `args` are the arguments in order, without missing ones. */
  run: (session: Session, args: readonly string[], flags: Flags) => Promise<void>;
}

/** Adds the commands to a group. `isDefault` names the one that runs without a name. */
export function addServiceCommands(
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

/** A test drops its environment, and often stops its service. */
async function withKeeping(thrown: unknown): Promise<unknown> {
  const { ConnectionError, ControlError } = await import('@understudy/client/errors');
  const isGone =
    thrown instanceof ConnectionError || (thrown instanceof ControlError && thrown.status === 404);
  return isGone ? new UsageError(`${thrown.message}\n${KEEPING}`, { cause: thrown }) : thrown;
}

const KEEPING =
  'The calls of a test go with its environment. To look at them in the dashboard: start `npx understudy-server --memory`, ' +
  'then run the tests with UNDERSTUDY_URL=http://localhost:8080 UNDERSTUDY_KEEP=failed.';

/** The flags of the commands that are not about one environment. They accept `--environment`, and the help does not show it. */
const wholeServiceOptions = (variables: Terminal['variables']): Option[] =>
  serviceOptions(variables).map((each) => (each.name() === 'environment' ? each.hideHelp() : each));

export function commandOf(
  { usage, description, options = [], isWide, isOfTests, run }: ServiceCommand,
  terminal: Terminal,
): Command {
  const [name = '', ...args] = usage.split(' ');
  const command = new Command(name).description(description).addHelpText('after', EXIT_CODES);
  for (const arg of args) command.argument(arg);
  const common = (isWide ? wholeServiceOptions : serviceOptions)(terminal.variables);
  for (const option of [...options, ...common]) command.addOption(option);
  return command.action(async () => {
    const { url, environment, json = false, ...flags } = command.opts<Flags & Target & { json?: boolean }>();
    const { openSession } = await import('../service/session.ts');
    const token = terminal.variables['UNDERSTUDY_CONTROL_TOKEN'] || undefined;
    try {
      const session = await openSession({ url, environment, token }, terminal, json);
      await run(session, command.args, flags);
    } catch (thrown) {
      throw isOfTests ? await withKeeping(thrown) : thrown;
    }
  });
}
