import type { Environment } from '../environment/environment.ts';
import type { Rows } from '../state/env.ts';
import { mailMarkup } from '../pages/mail.ts';
import type { Look, PageContent } from '../pages/page.ts';
import { preferred } from '../pipeline/call.ts';
import { DEFAULT_WAIT } from '@understudy/text/duration';
import { globTest } from '@understudy/text/glob';
import { EvidenceError, TextReply, type ControlContext, type ControlOperations } from './handler.ts';
import { ItemList } from './item-list.ts';

type Mail = Rows['mails'];

interface MailMatch {
  to?: string;
  kind?: Mail['kind'];
}

const MAILS = new ItemList<Mail>({
  noun: 'mail',
  source: ({ tables }) => tables.mails,
  changedIn: (activity) => (activity.kind === 'mail' ? [activity.mail] : []),
  part: 'mail',
});

export const mail = {
  async Control_ListMails({ query: { format, html, ...wanted } }, context) {
    const { environment } = context;
    const mails = MAILS.list(environment, { isWanted: testOf(wanted) });
    if (!wantsPage(format, context)) return { mails: mails.map((each) => view(each, html, environment)) };
    const { mailListContent } = await import('../pages/mail.ts');
    return pageOf(mailListContent(environment.name, mails));
  },

  async Control_WaitForMail({ query }, context) {
    const { since, timeout, html, ...wanted } = query;
    const mails = await MAILS.wait(context, { isWanted: testOf(wanted), since, timeout });
    const latest = mails.at(-1);
    if (latest) return view(latest, html, context.environment);
    const others = MAILS.after(context.environment, since).map(({ id, kind, to, subject }) => ({
      id,
      kind,
      to,
      subject,
    }));
    throw new EvidenceError('deadline_exceeded', `no matching mail came within ${timeout ?? DEFAULT_WAIT}`, {
      others,
    });
  },

  async Control_GetMail({ path, query }, context) {
    const found = MAILS.get(context.environment, path.id);
    if (!wantsPage(query.format, context)) return view(found, query.html, context.environment);
    const { mailContent } = await import('../pages/mail.ts');
    return pageOf({ ...mailContent(found), look: lookOf(context.environment) });
  },

  Control_DeleteMails(_, { environment, baseUrl }) {
    environment.transact({ baseUrl }, (env) => {
      for (const { id } of env.mails.list()) env.remove('mails', id);
    });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

function testOf({ to, kind }: MailMatch): (mail: Mail) => boolean {
  const address = to === undefined ? undefined : globTest(to.toLowerCase());
  return (mail) =>
    (address === undefined || address(mail.to.toLowerCase())) && (kind === undefined || mail.kind === kind);
}

function lookOf({ settings }: Environment): Look {
  const { primary_color, background_color, logo_url, application_name = '' } = settings?.branding ?? {};
  const logo = logo_url === undefined ? undefined : { address: logo_url, name: application_name };
  return { logo, primary_color, background_color };
}

/** The HTML has the look that the settings of the environment have now. */
const view = (mail: Mail, withHtml: boolean | undefined, { settings }: Environment) =>
  withHtml === true ? { ...mail, html: mailMarkup(mail, settings?.branding) } : mail;

const wantsPage = (format: 'json' | 'html' | undefined, { accept }: ControlContext) =>
  (format ?? preferred(accept)) === 'html';

async function pageOf(sheet: PageContent): Promise<TextReply> {
  const { render } = await import('../pages/page.ts');
  const { headers, markup } = render(sheet);
  return new TextReply('text/html; charset=utf-8', markup, headers);
}
