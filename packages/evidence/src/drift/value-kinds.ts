import { isObject } from '@understudy/text/json';

export const lastOf = (at: string) => at.slice(at.lastIndexOf('.') + 1);

export const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`;

/** The values that some services write out and others leave out. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** The members of a message, and those that only the other one has, with the values for which a message leaves them out. */
export function withEmpty(
  message: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const missing = Object.keys(other).filter((name) => !Object.hasOwn(message, name));
  const empty = missing.map((name) => [name, emptyOf(other[name])] as const);
  return { ...message, ...Object.fromEntries(empty.filter(([, value]) => value !== undefined)) };
}

/** Undefined for a message within a message: its absence means something. */
function emptyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return { string: '', number: 0, boolean: false }[typeof value as string];
}

/** A text that could be made up: one word. */
export const isOpaque = (text: string) => /^[^\s]+$/.test(text);

/** Milliseconds between 2001 and 2096. */
export const isEpoch = (value: number) => Number.isFinite(value) && value > 1e12 && value < 4e12;

/** Whether equal values say that two rows are the same: `true` or an empty text do not. */
export const telling = (theirs: unknown, ours: unknown) =>
  typeof theirs === 'string' && theirs !== '' && theirs === ours;

export function idOf(value: unknown): string | undefined {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Members with equal values under different names: theirs, ours. */
export function renamedIn(
  added: readonly string[],
  missing: readonly string[],
  isEqual: (theirs: string, ours: string) => boolean,
): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const name of added) {
    const taken = new Set(renamed.values());
    const other = missing.find((each) => !taken.has(each) && isEqual(name, each));
    if (other !== undefined) renamed.set(name, other);
  }
  return renamed;
}

const SPANS: readonly [name: string, size: number][] = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
];

export function spanOf(milliseconds: number): string {
  const [name, size] = SPANS.find(([, each]) => milliseconds >= 2 * each) ?? ['seconds', 1000];
  return `${Math.round(milliseconds / size)} ${name}`;
}
