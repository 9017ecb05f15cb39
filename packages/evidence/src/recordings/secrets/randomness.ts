/** Ids of the service, and of Understudy: a prefix and digits. */
const ID = /^[a-z][a-z0-9]{0,11}_\d+$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TIME = /^\d{4}-\d\d-\d\d[T ]?[\d:.]*(Z|[+-]\d\d:?\d\d)?$/;

/** The parts of a text that could be a key or a token. */
const CANDIDATES = /[A-Za-z0-9+/=_~.-]{16,}/g;
/** Words are separated by these inside of identifiers, host names and paths. */
const SEPARATORS = /[-_./=+~]+/;

/** The fewest characters that no person would have chosen. */
const FEWEST = 12;
/** Different ones among them. Fillers such as `xxxx` have fewer. */
const FEWEST_DIFFERENT = 7;

/** The first part of a text that looks as if chance had made it. */
export function randomPartOf(text: string): string | undefined {
  for (const [part] of text.matchAll(CANDIDATES)) if (isRandom(part)) return part;
  return undefined;
}

function isRandom(text: string): boolean {
  if (ID.test(text) || TIME.test(text)) return false;
  if (UUID.test(text)) return true;
  const pieces = text.split(SEPARATORS).filter((piece) => piece !== '');
  const strange = pieces.filter((piece) => !isOrdinary(piece)).join('');
  return strange.length >= FEWEST && new Set(strange).size >= FEWEST_DIFFERENT;
}

/** Words in any spelling with a number behind them, versions, and numbers. */
function isOrdinary(piece: string): boolean {
  if (/^\d+$/.test(piece)) return true;
  if (/^v?\d+[a-z]?$/i.test(piece)) return true;
  const [word = ''] = /^[A-Za-z]*/.exec(piece) ?? [];
  const rest = piece.slice(word.length);
  return /^\d{0,4}$/.test(rest) && isWordLike(word);
}

/** camelCase, PascalCase, lower or upper case, with vowels as in words. */
function isWordLike(word: string): boolean {
  const parts = word.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  if (parts.some((part) => !/^([A-Z]?[a-z]+|[A-Z]+)$/.test(part))) return false;
  // Chance changes the case every other letter.
  if (parts.length > 1 && word.length / parts.length < 3) return false;
  return parts.every((part) => part.length < LONG || hasVowels(part));
}

const LONG = 10;

function hasVowels(word: string): boolean {
  const vowels = word.replace(/[^aeiouy]/gi, '').length / word.length;
  return vowels > 0.2 && vowels < 0.7 && !/[^aeiouy]{6}/i.test(word);
}

/** Whether the value of a member that is an id may look random: ids of other services do. */
export const isIdOfOthers = (text: string): boolean =>
  UUID.test(text) ||
  /^[a-z]{0,11}_?[0-9a-f]{1,32}$/.test(text) ||
  /^([a-z]{1,11}_)?[0-9A-HJKMNP-TV-Z]{20,26}$/.test(text);
