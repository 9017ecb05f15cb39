// Reads the documentation: README.md and the pages in docs/.
import { readdirSync, readFileSync } from 'node:fs';

const FENCE = /^```(\w*)$/;
const NOT_RUN = /^<!-- not run: (.+) -->$/;
const FROM = /^<!-- from: (.+) -->$/;

/** Paths of all pages, from the root of the repository. */
export const pageFiles = () => [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `docs/${name}`),
];

/** A page with its fenced blocks, its anchors and its links. */
export function readPage(file) {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  const { blocks, prose } = divide(lines);
  return { file, blocks, anchors: anchorsIn(prose), links: linksIn(prose), paths: pathsIn(prose) };
}

/**
 * Fenced blocks, and the numbered lines between them. A block is `{ language, text, line, reason, source }`: `line` is
 * where its text begins; `reason` says why it is neither run nor checked, from a comment `<!-- not run: … -->` above it;
 * `source` is the file that it quotes, from a comment `<!-- from: … -->` above it.
 */
function divide(lines) {
  const blocks = [];
  const prose = [];
  let open;
  let reason;
  let source;
  for (const [index, text] of lines.entries()) {
    const [fence, language] = FENCE.exec(text) ?? [];
    if (fence !== undefined && !open) open = { language, lines: [], line: index + 2, reason, source };
    else if (fence !== undefined) {
      const { lines: inner, ...block } = open;
      blocks.push({ ...block, text: `${inner.join('\n')}\n` });
      open = undefined;
    } else if (open) open.lines.push(text);
    else prose.push({ line: index + 1, text });
    if (!open && text !== '') [reason, source] = [NOT_RUN, FROM].map((comment) => comment.exec(text)?.[1]);
  }
  if (open) throw new Error(`a block that begins before line ${open.line} has no end`);
  return { blocks, prose };
}

/** The anchors that GitHub creates from the headings. */
function anchorsIn(prose) {
  const anchors = new Set();
  for (const { text } of prose) {
    const [, heading] = /^#{1,6} (.+)$/.exec(text) ?? [];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

export const slugOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** The targets of links and images, in Markdown and in HTML. */
function linksIn(prose) {
  return prose.flatMap(({ line, text }) => {
    const plain = text.replace(/`[^`]*`/g, '');
    const found = plain.matchAll(/\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g);
    return Array.from(found, ([, markdown, html]) => ({ line, target: markdown ?? html }));
  });
}

/** Paths of source files and folders that the text names in backticks, such as `src/state/keys.ts`. */
function pathsIn(prose) {
  return prose.flatMap(({ line, text }) =>
    Array.from(text.matchAll(/`((?:src|packages|test|openapi|scripts)\/[\w./-]+)`/g), ([, path]) => ({
      line,
      path,
    })),
  );
}
