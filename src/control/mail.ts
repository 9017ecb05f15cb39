import type { ActivityItem } from '../environment/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { mailMarkup } from '../pages/mail-markup.ts';
import type { PageContent } from '../pages/page.ts';
import { preferred } from '../pipeline/call.ts';
import { DEFAULT_WAIT } from '../text/duration.ts';
import { globTest } from '../text/glob.ts';
import {
  unknownName,
  EvidenceError,
  TextReply,
  type ControlContext,
  type ControlOperations,
} from './handler.ts';
import { gatherMatches, readTimeout } from './waiting.ts';

type Mail = Rows['mails'];

interface MailMatch {
  to?: string;
  kind?: Mail['kind'];
}

export const mail = {
  async Control_ListMails({ query: { format, ...wanted } }, context) {
    const { environment } = context;
    const mails = mailsSince(environment, undefined).filter(testOf(wanted));
    if (!wantsPage(format, context)) return { mails: mails.map(view) };
    const { mailListContent } = await import('../pages/mail.ts');
    return pageOf(mailListContent(environment.name, mails));
  },

  async Control_WaitForMail({ query }, { environment, signal }) {
    const { since, timeout, ...wanted } = query;
    const milliseconds = readTimeout(timeout);
    const test = testOf(wanted);
    const found = mailsSince(environment, since).filter(test);
    const take = (item: ActivityItem) => (item.kind === 'mail' && test(item.mail) ? item.mail : undefined);
    const mails = await gatherMatches(environment, {
      found,
      count: 1,
      take,
      part: 'mail',
      milliseconds,
      signal,
    });
    const latest = mails.at(-1);
    if (latest) return view(latest);
    const others = mailsSince(environment, since).map(({ id, kind, to, subject }) => ({
      id,
      kind,
      to,
      subject,
    }));
    throw new EvidenceError('deadline_exceeded', `no such mail after ${timeout ?? DEFAULT_WAIT}`, { others });
  },

  async Control_GetMail({ path, query }, context) {
    const { mails } = context.environment.tables;
    const found = mails.find(path.id);
    if (!found) throw unknownMail(path.id, mails.list());
    if (!wantsPage(query.format, context)) return view(found);
    const { mailContent } = await import('../pages/mail.ts');
    return pageOf(mailContent(found));
  },

  Control_DeleteMails(_, { environment, baseUrl }) {
    environment.transact({ baseUrl }, (env) => {
      for (const { id } of env.mails.list()) env.remove('mails', id);
    });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/** Oldest first, after the mail with the id `since`. */
function mailsSince({ tables }: Environment, since: string | undefined): Mail[] {
  const mails = tables.mails.list();
  if (since === undefined) return [...mails];
  const at = mails.findIndex(({ id }) => id === since);
  if (at < 0) throw unknownMail(since, mails);
  return mails.slice(at + 1);
}

function testOf({ to, kind }: MailMatch): (mail: Mail) => boolean {
  const address = to === undefined ? undefined : globTest(to.toLowerCase());
  return (mail) =>
    (address === undefined || address(mail.to.toLowerCase())) && (kind === undefined || mail.kind === kind);
}

const unknownMail = (id: string, mails: readonly Mail[]) =>
  unknownName(
    'mail',
    id,
    mails.map((mail) => mail.id),
  );

const view = (mail: Mail) => ({ ...mail, html: mailMarkup(mail) });

const wantsPage = (format: 'json' | 'html' | undefined, { accept }: ControlContext) =>
  (format ?? preferred(accept)) === 'html';

async function pageOf(sheet: PageContent): Promise<TextReply> {
  const { render } = await import('../pages/page.ts');
  const { headers, markup } = render(sheet);
  return new TextReply('text/html; charset=utf-8', markup, headers);
}
