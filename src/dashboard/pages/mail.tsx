import { useSignal } from '@preact/signals';
import type { Mail } from '../../client/control.ts';
import { useAction, useData } from '../data.ts';
import { Badge, Complaint, Copy, Do, Empty, Heading, Time } from '../parts/parts.tsx';
import { href, route } from '../route.ts';
import { environment } from '../session.ts';

/** What the service would have e-mailed. */
export function MailPage() {
  const { id } = route.value;
  const { value, error } = useData(() => environment.value.mail.list(), ['mail', 'state']);
  const action = useAction();
  const filter = useSignal('');
  const mails = (value ?? []).toReversed();
  const shown = mails.filter(({ to, subject, kind }) =>
    `${to} ${subject} ${kind}`.toLowerCase().includes(filter.value.toLowerCase()),
  );
  const open = mails.find((mail) => mail.id === id);
  return (
    <>
      <Heading title="Mail">
        <Do action={action} run={() => environment.value.mail.clear()}>
          Clear
        </Do>
      </Heading>
      <Complaint of={error ?? action.error.value} />
      {open && <Opened mail={open} />}
      {mails.length > 0 && (
        <input
          type="search"
          aria-label="Filter by address, subject or kind"
          placeholder="Address, subject, kind…"
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
      )}
      {value && mails.length === 0 && (
        <Empty>No mail yet. Invite a user, and the invitation appears here.</Empty>
      )}
      <ul class="plain rows">
        {shown.map((mail) => (
          <li key={mail.id}>
            <a href={href('mail', mail.id)} aria-current={mail.id === id ? 'true' : undefined}>
              {mail.subject}
            </a>{' '}
            <span class="faint">
              to {mail.to} · <Time at={mail.time} />
            </span>{' '}
            <Badge>{mail.kind}</Badge>
          </li>
        ))}
      </ul>
    </>
  );
}

const Opened = ({ mail }: { mail: Mail }) => (
  <article class="card">
    <h2>{mail.subject}</h2>
    <p class="faint">
      To {mail.to} · <Time at={mail.time} />
    </p>
    <div class="actions">
      {mail.code !== undefined && <Copy text={mail.code}>Copy the code {mail.code}</Copy>}
      {mail.link !== undefined && (
        <a class="button" href={mail.link} target="_blank" rel="noreferrer">
          Open the link
        </a>
      )}
      <a
        class="button"
        href={`/_control/v1/environments/${environment.value.name}/mail/${mail.id}?format=html`}
        target="_blank"
        rel="noreferrer"
      >
        As the reader sees it
      </a>
    </div>
    <pre tabIndex={0} role="region" aria-label="Text of the mail">
      {mail.text}
    </pre>
  </article>
);
