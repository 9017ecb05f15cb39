import { resolveTime } from '../world/duration.ts';
import { isObject } from '../json-object.ts';

/** Every text such as `now-1d` in a value as the time that it means. */
export function resolveTimes(value: unknown, now: number): unknown {
  if (typeof value === 'string') return resolveTime(value, now);
  if (Array.isArray(value)) return value.map((each) => resolveTimes(each, now));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolveTimes(member, now)]));
}

/** RFC 7396: objects are merged, null takes a member away, anything else takes the place of what was there. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
