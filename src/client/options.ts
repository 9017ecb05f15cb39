import { suggest } from '../text/suggestion.ts';
import type { CallOptions } from './types.ts';

/** The names of all options of a type: a table that lacks one does not compile. */
export type NamesOf<T> = Readonly<Record<keyof T, unknown>>;

/** The options that every call takes. */
export const CALL: NamesOf<CallOptions> = { signal: true, timeout: true };

/**
 * Throws for a misspelt option, which would silently do nothing: plain JavaScript has no compiler to catch
 * it.
 */
export function checkOptions<T extends object>(call: string, options: T, names: NamesOf<T>): void {
  if (!isObject(options))
    throw new TypeError(`${call} takes its options as an object, not ${printed(options)}`);
  const known = Object.keys(names);
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(`${call} has no option ${name}${suggest(name, known) || optionList(known)}`);
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const printed = (value: unknown) => JSON.stringify(value) ?? typeof value;

const optionList = (known: readonly string[]) => `; its options are ${known.join(', ')}`;
