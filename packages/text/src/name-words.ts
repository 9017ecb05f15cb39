import { distance } from 'fastest-levenshtein';

/** The words of a name or a sentence, in lower case and without endings such as `s` and `ed`. */
export function wordsOf(text: string): string[] {
  const spaced = text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
  return (spaced.match(/[a-z]+|\d+/g) ?? []).map(stem);
}

function stem(word: string): string {
  if (word.length < 5)
    return word.length === 4 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, 3) : word;
  const short = word.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
  return short.replace(/(ed|ing)$/, (ending) => (ending === 'ed' && /[aeiou]t?ed$/.test(short) ? 'e' : ''));
}

/** Whether two words mean the same. */
export type AreAlike = (word: string, other: string) => boolean;

/** Words that do not tell names apart. */
const EMPTY = new Set(['service', 'a', 'an', 'and', 'of', 'the', 'to', 'for', 'by', 'in']);

/** Costs of a word that the name has in another form, has once but is asked for twice, or does not have. */
const [BEGINS, MEANS, REPEATED, MISSING] = [0.1, 0.3, 0.3, 1];
/** Cost of a word that only the name has. */
const FURTHER = 0.1;
/** What a name gains that has the words side by side, and one that begins with them. */
const [SIDE_BY_SIDE, FIRST] = [0.12, 0.05];
const MOST_FOR_EACH_WORD = 0.4;
const MOST_WORDS = 20;

/**
 * The name that has the words of a misspelt or incomplete one, each with at most one slip in three letters. Of several,
 * the one with the fewest other words; of equal ones, the first.
 */
export function closestByWords(
  word: string,
  names: readonly string[],
  areAlike: AreAlike = () => false,
): string | undefined {
  const wanted = tellingWords(word).slice(0, MOST_WORDS);
  let best: string | undefined;
  let least = Infinity;
  for (const name of wanted.length === 0 ? [] : names) {
    const cost = costOf(wanted, tellingWords(name), areAlike);
    if (cost < least) [best, least] = [name, cost];
  }
  return best;
}

function tellingWords(text: string): string[] {
  const words = wordsOf(text);
  const telling = words.filter((word) => !EMPTY.has(word));
  return telling.length > 0 ? telling : words;
}

/** Infinity: the name lacks too many of the words. */
function costOf(wanted: readonly string[], words: readonly string[], areAlike: AreAlike): number {
  const left = [...words];
  const read: string[] = [];
  let missed = 0;
  for (const word of wanted) {
    const costs = left.map((other) => costOfWord(word, other, areAlike));
    const cost = Math.min(MISSING, ...costs);
    if (cost === MISSING) missed += read.includes(word) ? REPEATED : MISSING;
    else {
      missed += cost;
      read.push(...left.splice(costs.indexOf(cost), 1));
    }
  }
  if (missed > wanted.length * MOST_FOR_EACH_WORD) return Infinity;
  const further = new Set(left.filter((word) => !read.includes(word))).size;
  const place = words.join('').indexOf(read.join(''));
  return missed + further * FURTHER - (place < 0 ? 0 : SIDE_BY_SIDE) - (place === 0 ? FIRST : 0);
}

function costOfWord(word: string, other: string, areAlike: AreAlike): number {
  if (word === other) return 0;
  if (word.length > 2 && other.startsWith(word)) return BEGINS;
  const most = Math.floor(word.length / 3);
  const isNear = most > 0 && Math.abs(word.length - other.length) <= most && /[a-z]/.test(word);
  const slips = isNear ? distance(word, other) : Infinity;
  if (slips <= most) return slips / word.length;
  return areAlike(word, other) ? MEANS : MISSING;
}
