import { useSignal } from '@preact/signals';
import type { Mail } from '../../client/control.ts';
import { useAction, useData } from '../data.ts';
import { OpenedMail } from '../mail/opened-mail.tsx';
import { Badge, Complaint, Do, Empty, Heading, Time } from '../parts/parts.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';
import { hasWords } from '../words.ts';
import { Search } from '../parts/search.tsx';

/** Everything of a mail that a search looks into. */
const textIn = ({ to, subject, kind, text, code = '', link = '' }: Mail) =>
  `${to} ${subject} ${kind} ${text} ${code} ${link}`;

/** What the service would have e-mailed. */
export function MailPage() {
  const { id } = route.value;
  const { value, error } = useData(() => environment.value.mail.list(), ['mail', 'state']);
  const action = useAction();
  const filter = useSignal('');
  const mails = (value ?? []).toReversed();
  const shown = mails.filter((mail) => hasWords(textIn(mail), filter.value));
  const open = mails.find((mail) => mail.id === id);
  return (
    <>
      <Heading title="Mail">
        <Do action={action} run={() => environment.value.mail.clear()}>
          Clear
        </Do>
      </Heading>
      <Complaint of={error ?? action.error.value} />
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
            <ul class="plain rows" aria-label="Mails">
              {shown.map((mail) => (
                <Listed key={mail.id} mail={mail} isOpen={mail.id === id} />
              ))}
            </ul>
          </section>
          {open ? <OpenedMail key={open.id} mail={open} /> : <Empty>Choose a mail to read it.</Empty>}
        </div>
      )}
    </>
  );
}

const Listed = ({ mail, isOpen }: { mail: Mail; isOpen: boolean }) => (
  <li class={isOpen ? 'chosen' : ''}>
    <a href={href('mail', mail.id)} aria-current={isOpen ? 'true' : undefined}>
      {mail.subject}
    </a>
    <span class="faint">
      to {mail.to} · <Time at={mail.time} />
    </span>{' '}
    <Badge>{mail.kind}</Badge>
  </li>
);
