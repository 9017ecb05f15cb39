import { isObject } from '@understudy/text/json';
import { BundleError } from './format.ts';

/** Throws BundleError if the value at this place is of another form. */
export type Check = (value: unknown, place: string) => void;

function fail(place: string, wanted: string): never {
  throw new BundleError(`the file is no bundle that can be used: ${place || 'its content'} is not ${wanted}`);
}

export const text =
  (most: number, pattern?: RegExp): Check =>
  (value, place) => {
    if (typeof value !== 'string' || value.length > most || pattern?.test(value) === false)
      fail(place, pattern ? `a text like ${pattern.source}` : `a text of at most ${most} characters`);
  };

export const integer =
  (least: number, most: number): Check =>
  (value, place) => {
    if (!Number.isSafeInteger(value) || Number(value) < least || Number(value) > most)
      fail(place, `an integer from ${least} to ${most}`);
  };

export const number: Check = (value, place) => {
  if (typeof value !== 'number') fail(place, 'a number');
};

export const flag: Check = (value, place) => {
  if (typeof value !== 'boolean') fail(place, 'true or false');
};

/** Anything, where another check follows. */
export const anything: Check = () => {};

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value, place) => {
    if (!values.includes(value)) fail(place, `one of ${values.join(', ')}`);
  };

export const either =
  (...checks: readonly Check[]): Check =>
  (value, place) => {
    for (const [index, check] of checks.entries())
      try {
        return check(value, place);
      } catch (thrown) {
        if (index === checks.length - 1) throw thrown;
      }
  };

export const list =
  (check: Check, most: number): Check =>
  (value, place) => {
    if (!Array.isArray(value) || value.length > most) fail(place, `a list of at most ${most} items`);
    for (const [index, item] of value.entries()) check(item, `${place}[${index}]`);
  };

export const tuple =
  (...checks: readonly Check[]): Check =>
  (value, place) => {
    if (!Array.isArray(value) || value.length !== checks.length)
      fail(place, `a list of ${checks.length} items`);
    for (const [index, check] of checks.entries()) check(value[index], `${place}[${index}]`);
  };

/** An object whose members have any names. */
export const map =
  (check: Check, most: number, name = /^[^/\\]*$/): Check =>
  (value, place) => {
    if (!isObject(value)) fail(place, 'an object');
    const members = Object.entries(value);
    if (members.length > most) fail(place, `an object of at most ${most} members`);
    for (const [key, member] of members) {
      if (!name.test(key) || key === '__proto__') fail(`a name in ${place}`, `like ${name.source}`);
      check(member, `${place}.${key}`);
    }
  };

/** A member whose name ends in `?` may be missing. Others are refused, unless `isOpen`. */
export const object = (members: Readonly<Record<string, Check>>, isOpen = false): Check => {
  const known = Object.entries(members).map(
    ([name, check]) => [name.replace('?', ''), name.endsWith('?'), check] as const,
  );
  const names = new Set(known.map(([name]) => name));
  return (value, place) => {
    if (!isObject(value)) fail(place, 'an object');
    for (const [name, isOptional, check] of known) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      if (own === undefined && isOptional) continue;
      check(own, place === '' ? name : `${place}.${name}`);
    }
    if (isOpen) return;
    const extra = Object.keys(value).find((name) => !names.has(name));
    if (extra !== undefined)
      fail(place === '' ? extra.slice(0, 100) : `${place}.${extra.slice(0, 100)}`, 'known');
  };
};
