import { wordsOf } from './name-words.ts';
import { nearest } from './suggestion.ts';

/** Words that people use for the same thing; each is written as `wordsOf` gives it. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['invite', 'invitation', 'membership', 'member'],
  ['limit', 'throttle', '429', 'quota', 'many'],
  ['login', 'signin', 'sign', 'authenticate', 'auth', 'authorize', 'session'],
  ['sso', 'saml', 'oidc', 'connection'],
  ['scim', 'directory', 'provision'],
  ['delete', 'remove', 'revoke', 'deprovision'],
  ['create', 'add', 'new', 'register'],
  ['update', 'change', 'edit', 'set', 'patch'],
  ['get', 'read', 'show', 'fetch', 'find'],
  ['list', 'all', 'search'],
  ['organization', 'org', 'tenant', 'workspace', 'customer'],
  ['account', 'connected', 'integration'],
  ['tool', 'action', 'function', 'execute', 'run'],
  ['webhook', 'event', 'delivery'],
  ['expire', 'expiry', 'timeout', 'late'],
  ['fail', 'error', 'down', 'outage', 'unavailable', '503'],
  ['slow', 'delay', 'latency', 'timeout'],
  ['passkey', 'webauthn', 'passwordless', 'otp', 'magic'],
  ['key', 'token', 'secret', 'credential'],
];

const ALIKE = new Map<string, Set<string>>();
for (const group of SYNONYMS)
  for (const word of group) ALIKE.set(word, new Set([...(ALIKE.get(word) ?? []), ...group]));

/** Words that say nothing about what is meant. */
const EMPTY = new Set(
  'a an the of for to in on at by with and or is are be my me too that which how when'.split(' '),
);

const MOST_WORDS = 20;
const LONGEST = 400;

interface Searched {
  /** Its words count most. */
  name: string;
  text?: string;
}

/**
 * The items that have the words, or words for the same thing; the best first. Without an item that has them all, those
 * that have most of them. Rare words count more than frequent ones.
 */
export function searchByWords<T extends Searched>(query: string, items: readonly T[]): T[] {
  const said = wordsOf(query.slice(0, LONGEST)).filter((word) => !EMPTY.has(word));
  const wanted = [...new Set(said)].slice(0, MOST_WORDS);
  const indexed = items.map((item) => ({
    item,
    name: new Set(wordsOf(item.name)),
    text: new Set(wordsOf(item.text ?? '')),
  }));
  const matches = wanted.map((word) => indexed.map((each) => matchOf(word, each)));
  const weights = matches.map((all) => Math.log(1 + items.length / (1 + all.filter(Boolean).length)));
  const scored = indexed.map(({ item, name }, at) => {
    const found = matches.filter((all) => all[at]! > 0).length;
    const score = matches.reduce((sum, all, word) => sum + all[at]! * weights[word]!, 0);
    return { item, found, score: score - name.size / 100 };
  });
  const most = Math.max(0, ...scored.map(({ found }) => found));
  const best = scored.filter(({ found }) => found > 0 && found === most);
  return best.toSorted((a, b) => b.score - a.score).map(({ item }) => item);
}

/** 4: the name has the word; 2: one for the same thing; 1: the text has it; 0: neither. */
function matchOf(word: string, { name, text }: { name: Set<string>; text: Set<string> }): number {
  if (name.has(word)) return 4;
  const begins = (each: string) => word.length > 2 && each.startsWith(word);
  if ([...name].some(begins)) return 3;
  const alike = [...(ALIKE.get(word) ?? [])];
  if (alike.some((each) => name.has(each))) return 2;
  return text.has(word) || [...text].some(begins) || alike.some((each) => text.has(each)) ? 1 : 0;
}

/** The name that was probably meant: a misspelt one, or one with the same words or words for the same thing. */
export const nearestByWords = (word: string, names: readonly string[]): string | undefined =>
  nearest(word, names, (one, other) => ALIKE.get(one)?.has(other) ?? false);
