import type { Rows } from '../state/env.ts';
import { isScript } from '@understudy/text/addresses';
import { html, breakable, table, type Html, raw, type Fragment } from './html.ts';
import { textOn, type PageContent } from './page.ts';
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

/** The HTML part of a mail. Styles are inline, as mail programs need them, and nothing is loaded. */
export const mailMarkup = (mail: Rows['mails'], brand: MailBrand = {}): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>${mail.subject}</title>
      </head>
      <body style="margin:0;padding:24px 12px;background:#f4f5f7;font-family:${raw(FONT)}">
        ${frame('', 'center', frame(CARD, 'left', mailBody(mail, brand)))}
      </body>
    </html> `.text;

/** Mail programs support only tables for layout. */
const frame = (style: string, align: 'center' | 'left', content: Fragment): Html =>
  html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="${style}">
    <tr>
      <td align="${align}" style="${style && 'padding:28px'}">${content}</td>
    </tr>
  </table>`;

/** What the settings of the environment change about its mails. */
export type MailBrand = Pick<
  NonNullable<Rows['settings']['branding']>,
  'application_name' | 'primary_color' | 'logo_url'
>;

const mailBody = (mail: Rows['mails'], brand: MailBrand): Html =>
  html`${brandMarkup(brand)}
    <h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;color:#1b2330">${mail.subject}</h1>
    ${blocksOf(mail).map((block) => blockMarkup(block, brand))}`;

/** The logo and the name of the application. A logo of another server is left out, because nothing is loaded. */
function brandMarkup({ application_name: name = '', logo_url = '' }: MailBrand): Html | false {
  const hasLogo = logo_url.startsWith('data:image/');
  if (name === '' && !hasLogo) return false;
  return html`<p style="${FAINT}">
    ${hasLogo && html`<img src="${logo_url}" alt="${name}" height="40" /><br />`}${name !== '' && html`<strong>${name}</strong>`}
  </p>`;
}

const FONT = 'system-ui,-apple-system,Roboto,Arial,sans-serif';
const CARD = 'max-width:520px;background:#ffffff;border:1px solid #d9dee5;border-radius:12px';
const LINE = 'margin:0 0 14px;font-size:16px;line-height:1.5;color:#1b2330;overflow-wrap:anywhere';
const FAINT = 'margin:0 0 14px;font-size:13px;line-height:1.5;color:#5d6878;overflow-wrap:anywhere';
const BUTTON =
  'display:inline-block;padding:11px 20px;border-radius:8px;background:#2f55d4;color:#ffffff;font-size:16px;' +
  'font-weight:600;text-decoration:none';
const ON_BRAND = 'display:inline-block;padding:11px 20px;font-size:16px;font-weight:600;text-decoration:none';
const [ON_DARK, ON_LIGHT] = [`${ON_BRAND};color:#ffffff`, `${ON_BRAND};color:#111111`];
const CODE = 'margin:0 0 14px;font-size:28px;font-weight:700;letter-spacing:6px;color:#1b2330';

function blockMarkup(block: Block, { primary_color }: MailBrand): Html {
  if (block.kind === 'text') return html`<p style="${LINE}">${block.content}</p>`;
  const { label, value } = block;
  if (block.kind === 'code')
    return html`<p style="${FAINT}">${label}</p>
      <p style="${CODE}"><strong>${value}</strong></p>`;
  return html`${primary_color ? brandedButton(block, primary_color) : html`<p style="${LINE}"><a href="${value}" style="${BUTTON}">${label}</a></p>`}
    <p style="${FAINT}">Or open this address: <a href="${value}">${value}</a></p>`;
}

/** The colour is an attribute: a policy cannot name the styles of all colours. */
const brandedButton = ({ label, value }: { label: string; value: string }, color: string): Html =>
  html`<table role="presentation" cellpadding="0" cellspacing="0" border="0">
    <tr>
      <td bgcolor="${color}">
        <a href="${value}" style="${textOn(color) === '#fff' ? ON_DARK : ON_LIGHT}">${label}</a>
      </td>
    </tr>
  </table>`;

const EVERY_BLOCK: Mail = {
  id: '',
  kind: 'passwordless',
  to: '',
  subject: '',
  time: '',
  link: 'https://example.com/',
  code: '123456',
  text: 'Text\n\nThe link:\nhttps://example.com/\n\nThe code:\n123456',
};

/** Every inline style of a mail: a policy can name them, and allow no others. */
export const mailStyles = (): string[] => [
  ...new Set(
    EVERY_BRAND.flatMap((brand) =>
      Array.from(mailMarkup(EVERY_BLOCK, brand).matchAll(/style="([^"]*)"/g), ([, style = '']) => style),
    ),
  ),
];

const EVERY_BRAND: readonly MailBrand[] = [
  {},
  { application_name: 'Name', primary_color: '#000000' },
  { primary_color: '#ffffff' },
];

/** A paragraph of a mail: text, or a link or code on its own line below a label. */
type Block = { kind: 'text'; content: Html } | { kind: 'link' | 'code'; label: string; value: string };

function blocksOf({ text, link, code }: Pick<Mail, 'text' | 'link' | 'code'>): Block[] {
  return text.split(/\n{2,}/).map((paragraph): Block => {
    const [label = '', value = '', ...more] = paragraph.split('\n');
    if (more.length === 0 && label.endsWith(':')) {
      if (value === link && isFollowable(link)) return { kind: 'link', label: label.slice(0, -1), value };
      if (value === code) return { kind: 'code', label: label.slice(0, -1), value };
    }
    return { kind: 'text', content: html`${marked(paragraph, link, code)}` };
  });
}

/** The caller chooses the page of a passwordless mail; a link must not run a script. */
const isFollowable = (link: string) => URL.canParse(link) && !isScript(link);

/** Makes the link clickable and highlights the code, wherever they occur. */
function marked(text: string, link: string | undefined, code: string | undefined): Html[] {
  const ofCode = (piece: string) =>
    markOccurrences(piece, code, (word) => html`<strong>${word}</strong>`, plainLines);
  return markOccurrences(text, link && isFollowable(link) ? link : undefined, anchor, ofCode);
}

const anchor = (address: string) => html`<a href="${address}">${address}</a>`;

const plainLines = (text: string): Html[] =>
  text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br />${line}`));

function markOccurrences(
  text: string,
  word: string | undefined,
  mark: (word: string) => Html,
  rest: (text: string) => Html[],
): Html[] {
  if (!word) return rest(text);
  return text
    .split(word)
    .flatMap((piece, index) => (index === 0 ? rest(piece) : [mark(word), ...rest(piece)]));
}
