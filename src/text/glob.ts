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
  const tokens = template.match(/\{[^}]*\}|[^]/g) ?? [];
  // For each end of the template, whether the end of the glob that was looked at can meet it.
  let after = [...tokens.map(() => false), true];
  for (const letter of glob.split('').toReversed()) {
    const now = after.map(() => false);
    for (let t = tokens.length; t >= 0; t -= 1) now[t] = meets(letter, t, now);
    after = now;
  }
  return after[0]!;

  function meets(letter: string, t: number, now: readonly boolean[]): boolean {
    const token = tokens[t];
    if (letter === '*') return after[t]! || (token !== undefined && now[t + 1]!);
    if (token === undefined) return false;
    if (token.length === 1) return letter === token && after[t + 1]!;
    return (letter !== '/' || token === REST) && (after[t + 1]! || after[t]!);
  }
}

/** The template with its variables' names left out: they do not tell paths apart. */
export const unnamed = (template: string) => template.replace(/\{[^}]*\}/g, '{}');
