import { unchecked, type Environment, type Part } from '../../client/control.ts';
import { ToolError } from '../service-address.ts';
import { SHOWN_AT_REST } from '../status.ts';
import { ADDS, from, LIST, OBJECT, REMOVES, SETS, TEXT, TEXTS, tool, READS } from '../tool.ts';

interface CreateArguments {
  name?: string;
  copy_of?: string;
  fixture?: string;
  seed?: number;
  scenarios?: string[];
}

const SNAPSHOT = { type: 'string', minLength: 1, description: 'The name of the snapshot.' };

export const environmentTools = [
  tool<object>({
    name: 'list_environments',
    title: 'List environments',
    description:
      'Lists the environments, each an isolated copy of everything, with the credentials that an SDK needs.',
    output: { environments: LIST },
    hints: READS,
    ofEnvironment: false,
    async run(_, { control }) {
      const environments = await control.environments.list({ resting: SHOWN_AT_REST });
      return { text: environments.map(lineOf).join('\n'), data: { environments } };
    },
  }),

  tool<CreateArguments>({
    name: 'create_environment',
    title: 'Create or copy an environment',
    description:
      'Creates an isolated environment in about a millisecond and answers its credentials. With `copy_of`, it is a copy of that environment with its current state; otherwise it starts from a fixture.',
    input: {
      name: from('Control_CreateEnvironment'),
      copy_of: { type: 'string', minLength: 1, description: 'The environment to copy.' },
      fixture: from('Control_CreateEnvironment'),
      seed: from('Control_CreateEnvironment'),
      scenarios: {
        type: 'array',
        items: { type: 'string' },
        description: 'Names of scenarios to load. Each reset loads them again.',
      },
    },
    output: { environment: OBJECT },
    hints: ADDS,
    ofEnvironment: false,
    async run({ name, copy_of, ...wanted }, { control }) {
      const [other] = Object.keys(wanted);
      if (copy_of !== undefined && other !== undefined)
        throw new ToolError(`${other}: a copy has the state of ${copy_of}; leave out ${other} or copy_of`);
      const environment = await (copy_of === undefined
        ? control.environments.create(newEnvironment(name, wanted))
        : control.environments.fork(copy_of, name));
      return { text: lineOf(environment), data: { environment } };
    },
  }),

  tool<{ name: string }>({
    name: 'drop_environment',
    title: 'Drop an environment',
    description: 'Removes an environment with everything in it. `default` cannot be dropped.',
    input: { name: { type: 'string', minLength: 1, description: 'The name of the environment.' } },
    required: ['name'],
    output: { dropped: TEXT },
    hints: REMOVES,
    ofEnvironment: false,
    async run({ name }, { control }) {
      await control.environments.drop(name);
      return { text: `Environment ${name} is dropped.`, data: { dropped: name } };
    },
  }),

  tool<{ only?: Part[] }>({
    name: 'reset_environment',
    title: 'Reset an environment',
    description:
      'Sets the environment back to its start: rows, calls, mails, webhooks, scenarios and clock, or only some of these. Snapshots stay.',
    input: {
      only: {
        type: 'array',
        items: { type: 'string', enum: ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'] },
        description:
          'The parts to reset: state, requests, mail, webhooks, scenarios, clock. Without it, everything.',
      },
    },
    output: { reset: TEXTS },
    hints: REMOVES,
    async run({ only }, { environment }) {
      if (only?.length === 0) throw new ToolError('only: names no part; leave it out to reset everything');
      await environment.reset(only === undefined ? {} : { only });
      const reset = only ?? ['everything'];
      return { text: `Reset in environment ${environment.name}: ${reset.join(', ')}.`, data: { reset } };
    },
  }),

  tool<{ name: string }>({
    name: 'take_snapshot',
    title: 'Take a snapshot',
    description:
      'Saves rows, ids, clock and scenarios under a name, so that restore_snapshot can undo what follows.',
    input: { name: SNAPSHOT },
    required: ['name'],
    output: { name: TEXT },
    hints: SETS,
    async run({ name }, { environment: { snapshots } }) {
      const snapshot = await snapshots.take(name);
      return { text: `Snapshot ${name} is taken.`, data: { ...snapshot } };
    },
  }),

  tool<{ name: string }>({
    name: 'restore_snapshot',
    title: 'Restore a snapshot',
    description:
      'Goes back to a snapshot: rows, ids, clock and scenarios are as they were. Later changes are lost.',
    input: { name: SNAPSHOT },
    required: ['name'],
    output: { restored: TEXT },
    hints: REMOVES,
    async run({ name }, { environment: { snapshots } }) {
      await snapshots.restore(name);
      return { text: `Snapshot ${name} is restored.`, data: { restored: name } };
    },
  }),
];

/** Names are not checked here: the service checks them. */
function newEnvironment(name: string | undefined, { fixture, seed, scenarios }: CreateArguments) {
  return {
    ...(name !== undefined && { name }),
    ...(fixture !== undefined && { fixture: unchecked(fixture) }),
    ...(seed !== undefined && { seed }),
    ...(scenarios && { scenarios: scenarios.map((each) => unchecked(each)) }),
  };
}

const lineOf = ({ name, base_url, client_id, client_secret, rows, requests, resting }: Environment): string =>
  `${name}: url ${base_url}, client_id ${client_id}, client_secret ${client_secret}; ${rows} rows, ` +
  (resting ? 'at rest' : `${requests} calls`);
