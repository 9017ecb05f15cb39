// Holds the length of the documentation: a page that grows must lose something else.
//
//   node scripts/count-words.mjs          fails if the pages by hand, or README.md, are too long
//   node scripts/count-words.mjs --list   also prints the words of each page
//
// A word is what has a letter or a digit, in text, tables and code. Generated pages and the parts of pages between `<!-- generated` and
// `<!-- end -->` are counted apart. Recipes are counted without their code, which is there to be copied. Pages for maintainers do not count.
import { readdirSync, readFileSync } from 'node:fs';

const MOST_WORDS = 30_000;
const MOST_BYTES = 7168;

const GENERATED = /^(guesses|operations|reference)\/|^(fidelity|supported-operations)\.md$/;
const PARTS = /<!-- generated[^]*?<!-- end -->/g;
const CODE = /^```[^]*?^```$/gm;

const wordsIn = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const totals = { 'by hand': 0, generated: 0, 'for maintainers': 0 };
for (const name of readdirSync('docs', { recursive: true, encoding: 'utf8' }).toSorted((a, b) =>
  a < b ? -1 : 1,
)) {
  if (!name.endsWith('.md')) continue;
  const text = readFileSync(`docs/${name}`, 'utf8');
  const own = name.startsWith('recipes') ? text.replace(CODE, '') : text;
  const kind = name.startsWith('maintainers/')
    ? 'for maintainers'
    : GENERATED.test(name)
      ? 'generated'
      : 'by hand';
  const parts = kind === 'by hand' ? wordsIn((own.match(PARTS) ?? []).join(' ')) : 0;
  const words = wordsIn(own) - parts;
  totals[kind] += words;
  totals.generated += parts;
  if (process.argv.includes('--list'))
    console.log(`${String(words).padStart(6)} ${name}${kind === 'by hand' ? '' : `, ${kind}`}`);
}
for (const [kind, words] of Object.entries(totals)) console.log(`${String(words).padStart(6)} words ${kind}`);

const bytes = Buffer.byteLength(readFileSync('README.md'));
const complaints = [
  totals['by hand'] > MOST_WORDS && `docs/ has ${totals['by hand']} words by hand: at most ${MOST_WORDS}`,
  bytes > MOST_BYTES && `README.md has ${bytes} bytes: at most ${MOST_BYTES}`,
].filter(Boolean);
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;
