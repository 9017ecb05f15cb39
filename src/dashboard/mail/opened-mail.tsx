import { useSignal } from '@preact/signals';
import type { Mail } from '../../client/control.ts';
import { Copy, Time } from '../parts/parts.tsx';

const VIEWS = [
  ['rendered', 'As the reader sees it'],
  ['text', 'Plain text'],
  ['source', 'Source'],
] as const;

/** One mail: its code and link, and how it looks to its reader. */
export function OpenedMail({ mail }: { mail: Mail }) {
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
          {mail.html}
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
    srcdoc={mail.html.replace('<head>', '<head><base target="_blank">')}
  />
);

/** The caller of the API chooses the address: it must not run a script. */
const isFollowable = (link: string) => /^https?:/i.test(link);
