import { resolveTime } from '../text/duration.ts';
import { isObject } from '../text/json.ts';

/** Whether `whole` contains `part`: objects may have more members, lists must be equal in length. */
export function includes(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) return includesList(whole, part);
  if (typeof part !== 'object' || part === null) return Object.is(whole, part);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(([name, value]) => includes(member(whole, name), value));
}

const includesList = (whole: unknown, part: readonly unknown[]) =>
  Array.isArray(whole) &&
  whole.length === part.length &&
  part.every((value, index) => includes(whole[index], value));

/** JSON bodies may also spell a name in camelCase, as the contract allows. */
export function member(whole: object, name: string): unknown {
  if (Object.hasOwn(whole, name)) return (whole as Record<string, unknown>)[name];
  if (!name.includes('_')) return undefined;
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(whole, camel) ? (whole as Record<string, unknown>)[camel] : undefined;
}

/** Replaces texts such as `now-1d` with times. */
export function resolveTimes(value: unknown, now: number): unknown {
  if (typeof value === 'string') return resolveTime(value, now);
  if (Array.isArray(value)) return value.map((each) => resolveTimes(each, now));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolveTimes(member, now)]));
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
