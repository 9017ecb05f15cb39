/** Longer answers would fill the context of a model. In characters of JSON. */
const MOST_DATA = 16_000;

/** From loose to tight: the longest text, and the longest list. */
const CUTS = [
  { text: 4000, items: 100 },
  { text: 1000, items: 30 },
  { text: 300, items: 10 },
  { text: 100, items: 3 },
] as const;

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** The value with long texts and lists cut until it fits. The cut places say how much is missing. */
export function clipped<T>(value: T, most = MOST_DATA): { value: T; isCut: boolean } {
  if (sizeOf(value) <= most) return { value, isCut: false };
  for (const cut of CUTS) {
    const smaller = cutAt(value, cut) as T;
    if (sizeOf(smaller) <= most || cut === CUTS.at(-1)) return { value: smaller, isCut: true };
  }
  return { value, isCut: false };
}

function cutAt(value: unknown, cut: (typeof CUTS)[number]): unknown {
  if (typeof value === 'string') return cutText(value, cut.text);
  if (Array.isArray(value)) {
    const items = value.slice(0, cut.items).map((item) => cutAt(item, cut));
    return value.length > cut.items ? [...items, `… ${value.length - cut.items} more`] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutAt(member, cut)]));
}

export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… ${text.length - most} more characters`;

/** The first items that fit; at least one. */
export function fitting<T>(items: readonly T[], most = MOST_DATA): T[] {
  let size = 0;
  const end = items.findIndex((item, index) => (size += sizeOf(item)) > most && index > 0);
  return end < 0 ? [...items] : items.slice(0, end);
}
