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
