import {
  unchecked,
  type Clock,
  type JournalEntry,
  type Mail,
  type UncheckedName,
} from '../../client/control.ts';
import { UsageError } from '../explain.ts';
import type { Session, Terminal } from './connect.ts';
import {
  changeLine,
  clockLine,
  deliveryLine,
  mailLines,
  reasonLines,
  requestLine,
  stateLines,
  type ChangeSummary,
  type DeliverySummary,
  type StateChanges,
} from './lines.ts';

export interface TailOptions {
  /** Adds the reasons for each answer. */
  why?: boolean;
  /** Leaves out calls that succeeded. */
  failed?: boolean;
  kinds?: string;
}

/** Prints what happens until the environment ends or the program is interrupted. */
export async function tail(session: Session, options: TailOptions): Promise<void> {
  const { environment, print, terminal } = session;
  const kinds = options.kinds?.split(',');
  const onOpen = () => terminal.err(`following environment ${environment.name} at ${environment.url}\n`);
  for await (const { kind, data } of environment.events({
    onOpen,
    ...(kinds && { kinds: kinds.map((each) => unchecked(each)) }),
  })) {
    const lines = await linesOf(kind, data as never, environment, options);
    if (lines.length > 0) print({ kind, data }, lines);
  }
}

async function linesOf(
  kind: string,
  data: JournalEntry & DeliverySummary & Clock & ChangeSummary & StateChanges,
  { requests: journal, mail: mails }: Session['environment'],
  { why, failed, kinds }: TailOptions,
): Promise<string[]> {
  if (failed && !(kind === 'request' && (data.status ?? 0) >= 400)) return [];
  switch (kind) {
    case 'request':
      return [requestLine(data), ...(why ? reasonLines(await journal.get(data.id)) : [])];
    case 'mail':
      return mailLines(await mails.get(data.id));
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

export interface RequestsOptions {
  operation?: UncheckedName;
  status?: UncheckedName;
  limit?: number;
  failed?: boolean;
  why?: boolean;
}

/** Prints the latest calls, oldest first. */
export async function requests({ environment, print }: Session, options: RequestsOptions): Promise<void> {
  const { failed, why, ...filter } = options;
  const calls = await environment.requests.list(filter);
  const entries = failed ? calls.filter(({ status = 0 }) => status >= 400) : calls;
  print(
    entries,
    entries.flatMap((entry) => [requestLine(entry), ...(why ? reasonLines(entry) : [])]),
    'no calls',
  );
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
