/** A variable that takes in the rest of a path. */
export const REST = '{**}';

export type TextTest = (text: string) => boolean;

/** Tests whole texts; `*` is any text. Each part between two `*` is looked for once, so a test never goes back. */
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

/** Any characters; any characters but a slash; one character but a slash; or one certain character. */
const [ANY, SEGMENT, ONE] = ['*', '{}', '{'] as const;

/** As `globTest`; `{name}` is one segment of a path or a part of it. The cost is that of the text times the glob at most. */
export function pathTest(glob: string): TextTest {
  if (!/\{[^}]*\}/.test(glob)) return globTest(glob);
  const tokens = (glob.match(/\{[^}]*\}|[^]/g) ?? []).flatMap((token) =>
    token.length > 1 ? [ONE, SEGMENT] : [token],
  );
  return (text) => {
    let places = closure([0], tokens);
    for (let at = 0; at < text.length && places.size > 0; at += 1)
      places = closure(step(places, text[at]!, tokens), tokens);
    return places.has(tokens.length);
  };
}

/** Where in the glob a text may be after one more character. */
function* step(places: Iterable<number>, letter: string, tokens: readonly string[]): Generator<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token === ANY || (token === SEGMENT && letter !== '/')) yield place;
    else if (token === ONE ? letter !== '/' : token === letter) yield place + 1;
  }
}

/** What may be no text at all can be passed over. */
function closure(places: Iterable<number>, tokens: readonly string[]): Set<number> {
  const all = new Set<number>();
  for (let place of places) {
    all.add(place);
    while (tokens[place] === ANY || tokens[place] === SEGMENT) all.add((place += 1));
  }
  return all;
}

/** Whether some path is meant by both: a glob, where `*` is any text, and a template with `{variables}`. */
export function canMeet(glob: string, template: string): boolean {
  const tokens = tokensOf(template);
  let places: readonly number[] = [0];
  for (let at = 0; at < glob.length && places.length > 0; at += 1) places = after(glob[at]!, places, tokens);
  return places.at(-1) === tokens.length;
}

/** Where in the template a path may be after this letter of the glob, in order. */
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

/** Of templates of the documents: there are few. */
const TOKENS = new Map<string, readonly string[]>();

function tokensOf(template: string): readonly string[] {
  const known = TOKENS.get(template) ?? template.match(/\{[^}]*\}|[^]/g) ?? [];
  TOKENS.set(template, known);
  return known;
}

/** The template with its variables' names left out: they do not tell paths apart. */
export const unnamed = (template: string) => template.replace(/\{[^}]*\}/g, '{}');
