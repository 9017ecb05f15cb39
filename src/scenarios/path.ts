/** The position of something in a value: member names and list indexes. */
export type Path = readonly (string | number)[];

/** The value at a path, all of whose steps must exist. */
export const valueAt = (path: Path, value: unknown): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value);

/** A set of paths that knows what is above and below them. */
export class PathSet {
  readonly #paths = new Set<string>();
  /** The paths and everything above them. */
  readonly #above = new Set<string>();

  add(path: Path): void {
    const keys = keysTo(path);
    this.#paths.add(keys.at(-1)!);
    for (const key of keys) this.#above.add(key);
  }

  /** Whether a path of the set equals this path or is above it. */
  hasAbove(path: Path): boolean {
    return this.#paths.size > 0 && keysTo(path).some((key) => this.#paths.has(key));
  }

  /** Whether a path of the set equals this path or is below it. */
  hasBelow(path: Path): boolean {
    return this.#above.size > 0 && this.#above.has(keysTo(path).at(-1)!);
  }
}

/** One key for the root and each step of the path. */
function keysTo(path: Path): string[] {
  let key = '';
  return ['', ...path.map((step) => (key += `${typeof step === 'number' ? '#' : '.'}${step}\0`))];
}

/** For example `rules[0].when.path`. */
export const formatPath = (path: Path) =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

/** Converts a JSON pointer; list indexes become numbers. */
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

/** A scenario's name with texts for its parameters. */
interface ScenarioReference {
  name: string;
  params: Record<string, string>;
}

const PARAMETER = /^([A-Za-z_]\w*)=(.*)$/s;

/**
 * Splits `a,x=1,b` into `a,x=1` and `b`: an item with `=` is a parameter of the scenario before it. `\,` is a comma
 * inside a value.
 */
export function splitReferences(text: string): string[] {
  return splitAtCommas(text).reduce<string[]>((references, item) => {
    if (references.length === 0 || !PARAMETER.test(item)) return [...references, item];
    return [...references.slice(0, -1), `${references.at(-1)},${item}`];
  }, []);
}

export function parseReference(text: string): ScenarioReference {
  const [name = '', ...params] = splitAtCommas(text);
  const parsed = params.map((item) => {
    const [, key = item, value = ''] = PARAMETER.exec(item) ?? [];
    return [key, value.replaceAll('\\,', ',')];
  });
  return { name, params: Object.fromEntries(parsed) as Record<string, string> };
}

const splitAtCommas = (text: string) => text.split(/(?<!\\),/);
