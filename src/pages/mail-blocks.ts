import { isScript } from '../addresses.ts';
import type { Rows } from '../world/schema.ts';
import { html, type Html } from './html.ts';

type Mail = Rows['mails'];

/** A paragraph of a mail: plain, or the one of its link or code, which stands in a line of its own below a label. */
export type Block = { kind: 'text'; content: Html } | { kind: 'link' | 'code'; label: string; value: string };

export function blocksOf({ text, link, code }: Pick<Mail, 'text' | 'link' | 'code'>): Block[] {
  return text.split(/\n{2,}/).map((paragraph): Block => {
    const [label = '', value = '', ...more] = paragraph.split('\n');
    if (more.length === 0 && label.endsWith(':')) {
      if (value === link && isFollowable(link)) return { kind: 'link', label: label.slice(0, -1), value };
      if (value === code) return { kind: 'code', label: label.slice(0, -1), value };
    }
    return { kind: 'text', content: html`${marked(paragraph, link, code)}` };
  });
}

/** Whoever sends a passwordless mail chooses its page; a click must not run a script. */
const isFollowable = (link: string) => URL.canParse(link) && !isScript(link);

/** The link can be followed, the code stands out, wherever they are. */
function marked(text: string, link: string | undefined, code: string | undefined): Html[] {
  const ofCode = (piece: string) =>
    between(piece, code, (word) => html`<strong>${word}</strong>`, plainLines);
  return between(text, link && isFollowable(link) ? link : undefined, anchor, ofCode);
}

const anchor = (address: string) => html`<a href="${address}">${address}</a>`;

const plainLines = (text: string): Html[] =>
  text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br />${line}`));

function between(
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
