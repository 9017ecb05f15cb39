/** The steps from a value to one of its members. */
export type Path = readonly (string | number)[];

/** Escapes of JSON and YAML that may stand for half a surrogate pair. UTF-8 itself cannot encode it. */
const SUSPECT = /\\u[dD][89a-fA-F]|\\U/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

export const NOT_WELL_FORMED =
  'must not hold half of a surrogate pair: send the character itself, or the escapes of both halves';

/**
 * The path of the first text or key with a lone surrogate, which gRPC cannot send. `text`, if given, is the source of
 * `value`; it is searched first because most texts have no such escapes.
 */
export function loneSurrogateIn(value: unknown, text?: string): Path | undefined {
  return text === undefined || SUSPECT.test(text) ? pathOfFirst(value) : undefined;
}

function pathOfFirst(value: unknown): Path | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const inside = key.isWellFormed() ? pathOfFirst(member) : [];
    if (inside) return [Array.isArray(value) ? Number(key) : key, ...inside];
  }
  return undefined;
}

/** Lone surrogates are written as escapes, for messages. */
export const withEscapes = (text: string): string =>
  text.replace(LONE_SURROGATE, (half) => `\\u${half.charCodeAt(0).toString(16)}`);

/** At most `length` characters; never cuts a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  const kept = text.slice(0, length);
  return kept.isWellFormed() ? kept : kept.replace(/[\ud800-\udbff]$/, '');
}
