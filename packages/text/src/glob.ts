/** A variable that matches the rest of a path. */
export const REST = '{**}';

type TextTest = (text: string) => boolean;

/** Tests whole texts; `*` matches any text. Needs no backtracking. */
export function globTest(glob: string): TextTest {
  const [first = '', ...parts] = glob.split('*');
  const last = parts.pop();
  if (last === undefined) return (text) => text === glob;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = text.indexOf(part, at);
      at = found + part.length;
      if (found < 0 || at > end) return false;
    }
    return true;
  };
}

/** Any characters; any characters except slashes; one character except a slash. */
const [ANY, SEGMENT, ONE] = ['*', '{}', '{'] as const;

/**
 * Like `globTest`; `{name}` matches one path segment or a part of it. The cost is at most the length of the text
 * times the glob.
 */
export function pathTest(glob: string): TextTest {
  if (!/\{[^}]*\}/.test(glob)) return globTest(glob);
  const tokens = (glob.match(/\{[^}]*\}|[^]/g) ?? []).flatMap((token) =>
    token.length > 1 ? [ONE, SEGMENT] : [token],
  );
  return (text) => {
    let places = closure(new Uint8Array(tokens.length + 1).fill(1, 0, 1), tokens);
    for (let at = 0; at < text.length; at += 1) places = closure(step(places, text[at]!, tokens), tokens);
    return places[tokens.length] === 1;
  };
}

/** The positions in the glob after one more character. A position that is reached is 1. */
function step(places: Uint8Array, letter: string, tokens: readonly string[]): Uint8Array {
  const next = new Uint8Array(places.length);
  for (
    let place = places.indexOf(1);
    place >= 0 && place < tokens.length;
    place = places.indexOf(1, place + 1)
  ) {
    const token = tokens[place];
    if (token === ANY || (token === SEGMENT && letter !== '/')) next[place] = 1;
    else if (token === ONE ? letter !== '/' : token === letter) next[place + 1] = 1;
  }
  return next;
}

/** Adds the positions after tokens that match the empty text. */
function closure(places: Uint8Array, tokens: readonly string[]): Uint8Array {
  for (let place = 0; place < tokens.length; place += 1)
    if (places[place] === 1 && (tokens[place] === ANY || tokens[place] === SEGMENT)) places[place + 1] = 1;
  return places;
}

/** Whether some path matches both the glob and the template. */
export function canMeet(glob: string, template: string): boolean {
  const tokens = tokensOf(template);
  let places: readonly number[] = [0];
  for (let at = 0; at < glob.length && places.length > 0; at += 1) places = after(glob[at]!, places, tokens);
  return places.at(-1) === tokens.length;
}

/** The positions in the template after this character of the glob, ascending. */
function after(letter: string, places: readonly number[], tokens: readonly string[]): number[] {
  const [first = 0] = places;
  if (letter === '*') return Array.from({ length: tokens.length + 1 - first }, (_, index) => first + index);
  const next: number[] = [];
  for (const place of places) {
    const token = tokens[place] ?? '';
    const isVariable = token.length > 1 && (letter !== '/' || token === REST);
    if (isVariable && next.at(-1) !== place) next.push(place);
    if (isVariable || token === letter) next.push(place + 1);
  }
  return next;
}

/** Cached, because the documents have few templates. */
const TOKENS = new Map<string, readonly string[]>();

function tokensOf(template: string): readonly string[] {
  const known = TOKENS.get(template) ?? template.match(/\{[^}]*\}|[^]/g) ?? [];
  TOKENS.set(template, known);
  return known;
}

/** The template without the names of its variables. */
export const unnamed = (template: string) => template.replace(/\{[^}]*\}/g, '{}');
