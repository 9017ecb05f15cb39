import {
  ControlError,
  type Clock,
  type EnvironmentControl,
  type JournalEntry,
  type KeptEnvironment,
  type Mail,
  unchecked,
  type UncheckedName,
} from '@understudy/client/control';
import { hasFailed, reasonsOf } from '@understudy/client/failed-call';
import { requestLine } from '@understudy/client/request-line';
import { UsageError } from '@understudy/core/cli/usage-error';
import type { Terminal } from '@understudy/core/parts';
import type { Session } from './session.ts';
import { counted } from '@understudy/text/words';
import { writtenDuration } from '@understudy/text/duration';

/** Why the call was answered as it was. */
export const reasonLines = (entry: JournalEntry): string[] => reasonsOf(entry).map((line) => `    ${line}`);

/** A mail, as the activity feed or the list of mails has it. */
type MailSummary = Pick<Mail, 'id' | 'kind' | 'to' | 'subject' | 'code' | 'link'>;

function mailLines({ kind, to, subject, id, code, link }: MailSummary): string[] {
  return [
    `mail ${kind} to ${to}: ${subject} (${id})`,
    ...(code === undefined ? [] : [`    code ${code}`]),
    ...(link === undefined ? [] : [`    link ${link}`]),
  ];
}

/** A delivery, as the activity feed has it. */
interface DeliverySummary {
  id: string;
  endpoint_id: string;
  event_type: string;
  status: string;
  attempts: number;
}

const deliveryLine = ({ event_type, status, endpoint_id, id, attempts }: DeliverySummary): string =>
  `webhook ${event_type} to ${endpoint_id}: ${status}, ${counted(attempts, 'attempt')} (${id})`;

/** The changes of one unit of work, as the activity feed has them. */
interface StateChanges {
  changes: readonly { op: string; path: string }[];
}

const CHANGED: Readonly<Record<string, string>> = { add: 'created', replace: 'changed', remove: 'deleted' };

const stateLines = ({ changes }: StateChanges): string[] =>
  changes.map(({ op, path }) => `state ${path}: ${CHANGED[op] ?? op}`);

export function clockLine({ mode, now, offset_ms }: Clock): string {
  if (mode === 'real') return `${now} (the time of this machine)`;
  return `${now} (${mode === 'frozen' ? 'frozen' : `offset ${writtenDuration(offset_ms ?? 0)}`})`;
}

/** An activity of another kind: a scenario, a snapshot, an environment, a reset, or the end. */
interface ChangeSummary {
  change?: string;
  name?: string;
  from?: string;
  rule?: number;
  request?: string;
  parts?: readonly string[];
  reason?: string;
}

function changeLine(kind: string, summary: ChangeSummary): string {
  const { change, name, from, rule, request, parts, reason } = summary;
  if (rule !== undefined) return `${kind} ${name}, rules[${rule}]: ${change} to ${request}`;
  if (parts !== undefined) return `reset of ${parts.join(', ')}`;
  if (reason !== undefined) return `the environment has ended: ${reason}`;
  if (change === undefined) return `${kind} ${JSON.stringify(summary)}`;
  return `${kind} ${name}: ${change}${from === undefined ? '' : ` from ${from}`}`;
}

export interface TailOptions {
  /** Adds the reasons for each answer. */
  why?: boolean;
  /** Leaves out calls that succeeded. */
  failed?: boolean;
  kinds?: string;
  /** Every environment. */
  all?: boolean;
}

/** Prints what happens until the environment ends or the program is interrupted. */
export async function tail(session: Session, options: TailOptions): Promise<void> {
  const { service, environment, print, terminal } = session;
  const { all = false } = options;
  const kinds = options.kinds?.split(',');
  const followed = all ? 'every environment' : `environment ${environment.name}`;
  const onOpen = () => terminal.err(`following ${followed} at ${environment.url}\n`);
  for await (const { kind, data } of environment.events({
    all,
    onOpen,
    kinds: kinds?.map((each) => unchecked(each)),
  })) {
    const { environment: at = environment.name } = data as { environment?: string };
    const lines = await linesOf(kind, data as never, service.environment(at), options);
    if (lines.length > 0) print({ kind, data }, all ? lines.map((line) => `${at} | ${line}`) : lines);
  }
}

async function linesOf(
  kind: string,
  data: JournalEntry & DeliverySummary & Clock & ChangeSummary & StateChanges & MailSummary,
  { requests: journal, mail: mails }: EnvironmentControl,
  { why, failed, kinds }: TailOptions,
): Promise<string[]> {
  if (failed && !(kind === 'request' && hasFailed(data))) return [];
  switch (kind) {
    case 'request': {
      const entry = why && (await unlessGone(journal.get(data.id)));
      return [requestLine(data), ...(entry ? reasonLines(entry) : [])];
    }
    case 'mail':
      return mailLines((await unlessGone(mails.get(data.id))) ?? data);
    case 'webhook':
      return [deliveryLine(data)];
    case 'clock':
      return [`clock ${clockLine(data)}`];
    case 'state':
      // Every call that writes has such changes, so they are shown only on demand.
      return kinds === undefined ? [] : stateLines(data);
    default:
      return [changeLine(kind, data)];
  }
}

/** Undefined if the environment has been dropped since, or no longer has it. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof ControlError && (thrown.status === 404 || thrown.status === 410)) return undefined;
    throw thrown;
  }
}

export interface RequestsOptions {
  operation?: UncheckedName;
  status?: UncheckedName;
  limit?: number;
  failed?: boolean;
  why?: boolean;
  /** Words in the name of a test. The calls are those of the environments that are kept for such tests. */
  test?: string;
}

/** Prints the latest calls, oldest first. */
export async function requests(session: Session, options: RequestsOptions): Promise<void> {
  const { environment, print } = session;
  if (options.test !== undefined) return requestsOfTests(session, options.test, options);
  const entries = await callsOf(environment, options);
  print(entries, callLines(entries, options), 'no calls');
}

async function callsOf(
  { requests: journal }: EnvironmentControl,
  { failed, test: _, ...filter }: RequestsOptions,
): Promise<JournalEntry[]> {
  const calls = await journal.list(filter);
  return failed ? calls.filter(hasFailed) : calls;
}

const callLines = (entries: readonly JournalEntry[], { why }: RequestsOptions): string[] =>
  entries.flatMap((entry) => [requestLine(entry), ...(why ? reasonLines(entry) : [])]);

/** The calls of each test under its name; the test that ended last comes last. */
async function requestsOfTests(
  { service, print }: Session,
  test: string,
  options: RequestsOptions,
): Promise<void> {
  const kept = await service.environments.kept(test);
  if (kept.length === 0) throw new UsageError(await noTest(test, service));
  const found = kept.toReversed().map(async (each) => ({
    environment: each.name,
    kept: each.kept,
    requests: await callsOf(service.environment(each.name), options),
  }));
  const tests = await Promise.all(found);
  const lines = tests.flatMap((each) => {
    const calls = callLines(each.requests, options);
    return [testLine(each), ...(calls.length > 0 ? calls : ['no calls']).map((line) => `  ${line}`)];
  });
  print(tests, lines);
}

const testLine = ({ environment, kept }: { environment: string; kept: KeptEnvironment['kept'] }) =>
  `${kept.test} (${kept.outcome}, environment ${environment})`;

async function noTest(test: string, { environments }: Session['service']): Promise<string> {
  const kept = await environments.kept();
  if (kept.length === 0)
    return 'no environment is kept for a test: run the tests with UNDERSTUDY_KEEP=failed, and with UNDERSTUDY_URL';
  const names = kept.map((each) => each.kept.test).join(', ');
  return `no environment is kept for a test with the words ${test}; kept: ${names}`;
}

export interface MailOptions {
  to?: string;
  kind?: Mail['kind'];
  open?: boolean;
}

/** Prints the mails, oldest first, with their codes and links. `open` opens the link of the latest in a browser. */
export async function mail({ environment, print, terminal }: Session, options: MailOptions): Promise<void> {
  const { open, ...filter } = options;
  const mails = await environment.mail.list(filter);
  print(mails, mails.flatMap(mailLines), open ? undefined : 'no mails');
  const link = mails.findLast((each) => each.link !== undefined)?.link;
  if (!open) return;
  if (link === undefined) throw new UsageError('none of these mails has a link');
  await openInBrowser(link, terminal);
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an http or https address with the program of the operating system. `BROWSER` names another program. */
async function openInBrowser(address: string, { variables, platform, err }: Terminal): Promise<void> {
  if (!/^https?:/.test(address)) throw new UsageError(`${address} is not a web address`);
  const named = variables['BROWSER'];
  const [program, ...args] = named ? [named] : (OPENERS[platform] ?? ['xdg-open']);
  const { spawn } = await import('node:child_process');
  const child = spawn(program!, [...args, address], { detached: true, stdio: 'ignore' });
  child.on('error', ({ message }) => err(`understudy: cannot open ${address}: ${message}\n`));
  child.unref();
}
