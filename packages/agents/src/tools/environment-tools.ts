import { unchecked, type Environment, type Part } from '@understudy/client/control';
import { ToolError } from '../service-address.ts';
import { SHOWN_AT_REST } from '../status.ts';
import { ADDS, from, NONE, READS, REMOVES, tool } from '../tool.ts';

interface CreateArguments {
  name?: string;
  copy_of?: string;
  fixture?: string;
  seed?: number;
  scenarios?: string[];
}

const SNAPSHOT = { type: 'string', minLength: 1 };

export const environmentTools = [
  tool<object>({
    name: 'list_environments',
    description: 'Lists the environments, isolated copies of everything, with credentials.',
    hints: READS,
    ofEnvironment: false,
    async run(_, { control }) {
      const environments = await control.environments.list({ resting: SHOWN_AT_REST });
      return { text: environments.map(lineOf).join('\n'), data: { environments } };
    },
  }),

  tool<CreateArguments>({
    name: 'create_environment',
    description:
      'Creates an isolated environment from a fixture, or with `copy_of` from the present state of another, and answers its credentials.',
    input: {
      name: from('Control_CreateEnvironment', { description: 'Such as worker-1' }),
      copy_of: { type: 'string', minLength: 1 },
      fixture: from('Control_CreateEnvironment', {
        description: 'default, empty, small, demo, sso or catalogue',
      }),
      seed: from('Control_CreateEnvironment', { description: NONE }),
      scenarios: {
        type: 'array',
        items: { type: 'string' },
      },
    },
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
    description: 'Removes an environment with everything in it.',
    input: { name: { type: 'string', minLength: 1 } },
    required: ['name'],
    hints: REMOVES,
    ofEnvironment: false,
    async run({ name }, { control }) {
      await control.environments.drop(name);
      return { text: `Environment ${name} is dropped.`, data: { dropped: name } };
    },
  }),

  tool<{ only?: Part[] }>({
    name: 'reset_environment',
    description: 'Sets the environment back to its start, or only parts of it. Snapshots stay.',
    input: {
      only: {
        type: 'array',
        items: { type: 'string', enum: ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'] },
      },
    },
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
    description: 'Saves rows, ids, clock and scenarios, for restore_snapshot.',
    input: { name: SNAPSHOT },
    required: ['name'],
    hints: ADDS,
    async run({ name }, { environment: { snapshots } }) {
      const snapshot = await snapshots.take(name);
      return { text: `Snapshot ${name} is taken.`, data: { ...snapshot } };
    },
  }),

  tool<{ name: string }>({
    name: 'restore_snapshot',
    description: 'Goes back to a snapshot. Later changes are lost.',
    input: { name: SNAPSHOT },
    required: ['name'],
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
    name,
    fixture: fixture === undefined ? undefined : unchecked(fixture),
    seed,
    scenarios: scenarios?.map((each) => unchecked(each)),
  };
}

const lineOf = ({
  name,
  base_url,
  client_id,
  client_secret,
  rows,
  requests,
  resting,
  kept,
}: Environment): string =>
  `${name}: url ${base_url}, client_id ${client_id}, client_secret ${client_secret}; ${rows} rows, ` +
  (resting ? 'at rest' : `${requests} calls`) +
  (kept ? `; kept for the test ${kept.test} (${kept.outcome})` : '');
