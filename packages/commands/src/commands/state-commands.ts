import { Option } from 'commander';
import { listed } from '@understudy/core/cli/options';
import { countOfSome } from '@understudy/core/cli/variables';
import type { ServiceCommand } from './service-command.ts';

const state = () => import('../service/state.ts');

export const AT = new Option(
  '--at <moment>',
  'not now, but after a request such as req_17, at a time of the clock, or after a number of commits',
);
const EVENTS = new Option('--events', 'emit events and webhooks, as a change made by the service does');

export const CLOCK: readonly ServiceCommand[] = [
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

export const KEYS: readonly ServiceCommand[] = [
  {
    usage: 'rotate',
    description: 'sign new tokens with a new key',
    options: [
      new Option(
        '--overlap <duration>',
        'how long /keys lists the former keys, such as 1h; 0s removes them at once (default: 24h)',
      ),
    ],
    run: async (session, _, flags) => (await state()).rotateKeys(session, flags),
  },
];

export const STATE: readonly ServiceCommand[] = [
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
      AT,
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

export const SNAPSHOT: readonly ServiceCommand[] = [
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

export const CHANGES: readonly ServiceCommand[] = [
  {
    usage: 'diff <from> [to]',
    description:
      'print what changed between two moments, such as req_17 and req_21 (default of the second: now)',
    run: async (session, [from, to]) => (await state()).compareMoments(session, from!, to),
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
];
