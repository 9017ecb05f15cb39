import { useSignal } from '@preact/signals';
import type { Mail } from '@understudy/client/control';
import { useData } from '../data.ts';
import { NoticesButton, NoticesRefused } from '../mail/notices.tsx';
import { Search } from '../parts/fields.tsx';
import { Asking, Badge, Complaint, Empty, Heading, Time, Copy } from '../parts/parts.tsx';
import { useQueryText } from '../parts/query-text.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { href, route, withQuery } from '../route.ts';
import { environment } from '../session.ts';
import { hasWords } from '@understudy/text/words';

/** The text of a mail that the search covers. */
const textIn = ({ to, subject, kind, text, code = '', link = '' }: Mail) =>
  `${to} ${subject} ${kind} ${text} ${code} ${link}`;

/** What the service would have e-mailed. */
export function MailPage() {
  const { id } = route.value;
  const { value, error } = useData(() => environment.value.mail.list({ html: true }), ['mail', 'state']);
  const filter = useQueryText('find');
  const mails = (value ?? []).toReversed();
  const shown = mails.filter((mail) => hasWords(textIn(mail), filter.value));
  const open = mails.find((mail) => mail.id === id);
  return (
    <>
      <Heading title="Mail">
        <NoticesButton />
        {mails.length > 0 && (
          <Asking
            question={`Delete the mails of ${environment.value.name}, also those that the search leaves out? This cannot be undone.`}
            confirm="Delete the mails"
            keep="Keep them"
            run={() => environment.value.mail.clear()}
          >
            Clear…
          </Asking>
        )}
      </Heading>
      <Complaint of={error} />
      <NoticesRefused />
      {value && mails.length === 0 && (
        <Empty>No mail yet. Invite a user, and the invitation appears here.</Empty>
      )}
      {value && id !== undefined && !open && <Empty>There is no mail {id}.</Empty>}
      {mails.length > 0 && (
        <div class="columns mails">
          <section>
            <Search label="Search the mails" placeholder="Address, subject, text, code…" text={filter} />
            <p class="faint" role="status">
              {shown.length === 1 ? '1 mail' : `${shown.length} mails`}
            </p>
            {shown.length > 0 && (
              <VirtualList
                key={filter.value}
                items={shown}
                label="Mails"
                height={LISTED_HEIGHT}
                keyOf={(mail) => mail.id}
                row={(mail) => <Listed mail={mail} isOpen={mail.id === id} words={filter.value} />}
                start={Math.max(
                  0,
                  shown.findIndex((mail) => mail.id === id),
                )}
              />
            )}
          </section>
          {open ? <OpenedMail key={open.id} mail={open} /> : <Empty>Choose a mail to read it.</Empty>}
        </div>
      )}
    </>
  );
}

/** In pixels. */
const LISTED_HEIGHT = 62;

interface ListedProps {
  mail: Mail;
  isOpen: boolean;
  /** Those of the search, which stay while a mail is read. */
  words: string;
}

const Listed = ({ mail, isOpen, words }: ListedProps) => (
  <div class="listed">
    <a href={withQuery(href('mail', mail.id), { find: words })} aria-current={isOpen ? 'true' : undefined}>
      {mail.subject}
    </a>
    <span class="faint">
      to {mail.to} · <Time at={mail.time} /> <Badge>{mail.kind}</Badge>
    </span>
  </div>
);

const VIEWS = [
  ['rendered', 'As the reader sees it'],
  ['text', 'Plain text'],
  ['source', 'Source'],
] as const;

/** One mail: its code and link, and the mail as its reader sees it. */
function OpenedMail({ mail }: { mail: Mail }) {
  const view = useSignal<(typeof VIEWS)[number][0]>('rendered');
  return (
    <article class="card">
      <h2>{mail.subject}</h2>
      <p class="faint">
        To {mail.to} · <Time at={mail.time} />
      </p>
      <div class="actions">
        {mail.code !== undefined && <Copy text={mail.code}>Copy the code {mail.code}</Copy>}
        {mail.link !== undefined && isFollowable(mail.link) && (
          <a class="button" href={mail.link} target="_blank" rel="noreferrer">
            Open the link
          </a>
        )}
        {mail.link !== undefined && <Copy text={mail.link}>Copy the link</Copy>}
      </div>
      <div class="actions views" role="group" aria-label="How the mail is shown">
        {VIEWS.map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={view.value === name}
            onClick={() => (view.value = name)}
          >
            {title}
          </button>
        ))}
      </div>
      {view.value === 'rendered' && <Rendered mail={mail} />}
      {view.value === 'text' && (
        <pre tabIndex={0} role="region" aria-label="Text of the mail">
          {mail.text}
        </pre>
      )}
      {view.value === 'source' && (
        <pre tabIndex={0} role="region" aria-label="Source of the mail">
          {mail.html ?? ''}
        </pre>
      )}
    </article>
  );
}

/** The frame runs no script and has no origin; its links open in a new tab. */
const Rendered = ({ mail }: { mail: Mail }) => (
  <iframe
    class="mail"
    title="Rendered mail"
    sandbox="allow-popups allow-popups-to-escape-sandbox"
    srcdoc={(mail.html ?? '').replace('<head>', '<head><base target="_blank">')}
  />
);

/** The caller of the API chooses the address: it must not run a script. */
const isFollowable = (link: string) => /^https?:/i.test(link);
