import type { Rows } from '../world/schema.ts';

/** The mail as a page of its own: nothing of it is loaded from anywhere. */
export function mailPage({ subject, text, link, code }: Rows['mails']): string {
  const paragraphs = text.split(/\n+/).map((line) => `<p>${marked(line, { link, code })}</p>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escape(subject)}</title></head>
<body style="font-family: sans-serif; max-width: 36em; margin: 2em auto; padding: 0 1em; line-height: 1.5">
<h1 style="font-size: 1.2em">${escape(subject)}</h1>
${paragraphs.join('\n')}
</body>
</html>
`;
}

/** The link can be followed, the code stands out. */
function marked(
  line: string,
  { link, code }: { link: string | undefined; code: string | undefined },
): string {
  const pieces = splitBy([{ text: line }], link, (text) => `<a href="${text}">${text}</a>`);
  return splitBy(pieces, code, (text) => `<strong>${text}</strong>`)
    .map(({ text, mark }) => mark?.(escape(text)) ?? escape(text))
    .join('');
}

interface Piece {
  text: string;
  mark?: (escaped: string) => string;
}

/** What is marked already is left as it is. */
const splitBy = (pieces: readonly Piece[], word: string | undefined, mark: NonNullable<Piece['mark']>) =>
  word === undefined
    ? [...pieces]
    : pieces.flatMap((piece) =>
        piece.mark
          ? [piece]
          : piece.text
              .split(word)
              .flatMap((text, index): Piece[] =>
                index === 0 ? [{ text }] : [{ text: word, mark }, { text }],
              ),
      );

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escape = (text: string) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]!);
