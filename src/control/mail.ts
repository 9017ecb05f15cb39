import type { Environment } from '../environments/environment.ts';
import type { NewsItem } from '../environments/news.ts';
import { globExpression } from '../scenarios/path-pattern.ts';
import type { Rows } from '../world/schema.ts';
import { absent } from './absent.ts';
import { EvidenceError } from './evidence-error.ts';
import type { ControlOperations } from './handler.ts';
import { mailPage } from './mail-page.ts';
import { gather, readPatience } from './waiting.ts';

type Mail = Rows['mails'];

interface Wanted {
  to?: string;
  kind?: Mail['kind'];
}

export const mail = {
  Control_ListMails({ query }, { environment }) {
    return { mails: mailsSince(environment, undefined).filter(testOf(query)).map(view) };
  },

  async Control_WaitForMail({ query }, { environment, signal }) {
    const { since, timeout, ...wanted } = query;
    const patience = readPatience(timeout);
    const test = testOf(wanted);
    const found = mailsSince(environment, since).filter(test);
    const take = (item: NewsItem) => (item.kind === 'mail' && test(item.mail) ? item.mail : undefined);
    const mails = await gather(environment, { found, count: 1, take, part: 'mail', patience, signal });
    const latest = mails.at(-1);
    if (latest) return view(latest);
    const others = mailsSince(environment, since).map(({ id, kind, to, subject }) => ({
      id,
      kind,
      to,
      subject,
    }));
    throw new EvidenceError('deadline_exceeded', `no such mail after ${timeout ?? '5s'}`, { others });
  },

  Control_GetMail({ path }, { environment }) {
    const { mails } = environment.tables;
    const found = mails.find(path.id);
    if (!found) throw unknownMail(path.id, mails.list());
    return view(found);
  },

  Control_DeleteMails(_, { environment, baseUrl }) {
    environment.transact({ baseUrl }, (world) => {
      for (const { id } of world.mails.list()) world.remove('mails', id);
    });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/** Oldest first; after the mail of that id, where one is given. */
function mailsSince({ tables }: Environment, since: string | undefined): Mail[] {
  const mails = tables.mails.list();
  if (since === undefined) return [...mails];
  const at = mails.findIndex(({ id }) => id === since);
  if (at < 0) throw unknownMail(since, mails);
  return mails.slice(at + 1);
}

function testOf({ to, kind }: Wanted): (mail: Mail) => boolean {
  const address = to === undefined ? undefined : globExpression(to.toLowerCase());
  return (mail) =>
    (address === undefined || address.test(mail.to.toLowerCase())) &&
    (kind === undefined || mail.kind === kind);
}

const unknownMail = (id: string, mails: readonly Mail[]) =>
  absent(
    'mail',
    id,
    mails.map((mail) => mail.id),
  );

const view = (mail: Mail) => ({ ...mail, html: mailPage(mail) });
