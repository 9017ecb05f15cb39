export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Response headers in lower case; several cookies are a list under `set-cookie`. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** A text as it is, nothing as the empty text, and anything else as JSON. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** JSON merge patch (RFC 7396). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Equal values have equal texts, whatever the order of their members. */
export const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => {
    if (!isObject(each)) return each;
    const names = Object.keys(each).toSorted();
    return Object.fromEntries(names.map((name) => [name, each[name]]));
  });
