import type { Rows } from '../environment/rows/schema.ts';
import { html, breakable, table, type Html } from './html.ts';
import { blocksOf, type Block } from './mail-markup.ts';
import type { PageContent } from './page.ts';
import { readableTime } from './controls.ts';

type Mail = Rows['mails'];

/** A mail as a page, with a clickable link. */
export const mailContent = (mail: Mail): PageContent => ({
  title: mail.subject,
  body: html`<section class="card">
      <h1>${mail.subject}</h1>
      <dl>
        <dt>To</dt>
        <dd>${breakable(mail.to)}</dd>
        <dt>Sent</dt>
        <dd>${readableTime(mail.time)}</dd>
        <dt>Kind</dt>
        <dd>${KINDS[mail.kind]}</dd>
      </dl>
    </section>
    <section class="card" aria-label="Message">${blocksOf(mail).map(blockHtml)}</section>
    <p class="faint below"><a href="../mail">All mails</a></p>`,
});

/** All mails of an environment, the latest first. */
export const mailListContent = (environment: string, mails: readonly Mail[]): PageContent => ({
  title: `Mails of ${environment}`,
  wide: true,
  body: html`<section class="card">
    <h1>Mails</h1>
    <p class="faint">
      What the service would have sent from the environment ${environment}, the latest first.
    </p>
    ${mails.length === 0 ? NONE : mailTable(mails.toReversed())}
  </section>`,
});

const KINDS: Record<Mail['kind'], string> = {
  invitation: 'Invitation',
  invitation_reminder: 'Invitation reminder',
  passwordless: 'Code or link to sign in',
  verification: 'Verification',
};

const NONE = html`<p class="alert note" role="status">
  There is none yet. Invitations, reminders, and codes and links to sign in will be here.
</p>`;

const mailTable = (mails: readonly Mail[]): Html =>
  table(
    ['Subject', 'To', 'Sent'],
    mails.map(({ id, subject, to, kind, time }) => [
      html`<a href="mail/${id}">${subject}</a><br /><span class="badge">${KINDS[kind]}</span>`,
      html`${breakable(to)}`,
      readableTime(time),
    ]),
  );

function blockHtml(block: Block): Html {
  if (block.kind === 'text') return html`<p>${block.content}</p>`;
  const { label, value } = block;
  if (block.kind === 'code')
    return html`<p class="faint">${label}</p>
      <p class="code-to-read"><strong>${value}</strong></p>`;
  return html`<a class="button" href="${value}">${label}</a>
    <p class="faint">${value}</p>`;
}
