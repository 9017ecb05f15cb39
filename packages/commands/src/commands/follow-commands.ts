import { Option } from 'commander';
import { countOfSome } from '@understudy/core/cli/variables';
import type { ServiceCommand } from './service-command.ts';

const explaining = () => import('../service/explain-call.ts');
const fixing = () => import('../service/fix-call.ts');
const tracing = () => import('../service/trace-call.ts');
const following = () => import('../service/follow.ts');

const WHY = new Option('--why', 'add why each call got its answer');
const FAILED = new Option('--failed', 'only calls that were answered with an error or not at all');

export const FOLLOWING: readonly ServiceCommand[] = [
  {
    usage: 'tail',
    description: 'print calls, mails and webhooks as they happen',
    options: [
      new Option('--all', 'follow every environment, and begin each line with its name'),
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
      new Option(
        '--test <words>',
        'the calls of tests whose names have these words, if their environments are kept (UNDERSTUDY_KEEP)',
      ),
    ],
    run: async (session, _, flags) => (await following()).requests(session, flags),
  },
  {
    usage: 'explain [request]',
    isOfTests: true,
    description: 'say why a call such as req_3 got its answer (default: the latest failed call)',
    run: async (session, [id]) => (await explaining()).explainCall(session, id),
  },
  {
    usage: 'fix [request]',
    isOfTests: true,
    description: 'list what would help a call such as req_3 (default: the latest failed call), or do it',
    options: [
      new Option('--do <number>', 'do what has this number in the list').argParser(countOfSome),
      new Option('--as <language>', 'write it in curl, typescript, python, go or java'),
    ],
    run: async (session, [id], flags) => (await fixing()).fixCall(session, id, flags),
  },
  {
    usage: 'trace [id]',
    isOfTests: true,
    description:
      'print what a call such as req_3 caused (default: the latest failed call); the id may be that of a delivery, a mail or another row',
    run: async (session, [id]) => (await tracing()).traceCall(session, id),
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
];
