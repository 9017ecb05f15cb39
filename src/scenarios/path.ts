/** Where something stands in a value: names of members, and places in lists. */
export type Path = readonly (string | number)[];

/** Paths, and what is above and below them. */
export class Touched {
  readonly #paths = new Set<string>();
  /** These paths and all above them. */
  readonly #above = new Set<string>();

  add(path: Path): void {
    const keys = keysTo(path);
    this.#paths.add(keys.at(-1)!);
    for (const key of keys) this.#above.add(key);
  }

  /** Whether one of the paths is this one or above it. */
  hasAbove(path: Path): boolean {
    return this.#paths.size > 0 && keysTo(path).some((key) => this.#paths.has(key));
  }

  /** Whether one of the paths is this one or below it. */
  hasBelow(path: Path): boolean {
    return this.#above.size > 0 && this.#above.has(keysTo(path).at(-1)!);
  }
}

/** A key for the root, one for each step, and so on to the path itself. */
function keysTo(path: Path): string[] {
  let key = '';
  return ['', ...path.map((step) => (key += `${typeof step === 'number' ? '#' : '.'}${step}\0`))];
}

/** `rules[0].when.path`. */
export const formatPath = (path: Path) =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

/** The steps of a JSON pointer into a value: numbers where the value has lists. */
export function readPointer(pointer: string, value: unknown): Path {
  let at = value;
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(at) ? Number(name) : name;
      at = typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : undefined;
      return step;
    });
}

/** A scenario by its name, with texts for its parameters. */
export interface Reference {
  name: string;
  params: Record<string, string>;
}

const PARAMETER = /^([A-Za-z_]\w*)=(.*)$/s;

/**
 * `a,x=1,b` are two scenarios, `a,x=1` and `b`: a piece with a `=` is a parameter of the scenario before it. A comma
 * inside a value is written `\,`.
 */
export function splitReferences(text: string): string[] {
  return pieces(text).reduce<string[]>((references, piece) => {
    if (references.length === 0 || !PARAMETER.test(piece)) return [...references, piece];
    return [...references.slice(0, -1), `${references.at(-1)},${piece}`];
  }, []);
}

export function parseReference(text: string): Reference {
  const [name = '', ...params] = pieces(text);
  const parsed = params.map((piece) => {
    const [, key = piece, value = ''] = PARAMETER.exec(piece) ?? [];
    return [key, value.replaceAll('\\,', ',')];
  });
  return { name, params: Object.fromEntries(parsed) as Record<string, string> };
}

const pieces = (text: string) => text.split(/(?<!\\),/);
