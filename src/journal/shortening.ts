import { beginningOf } from '../text/well-formed.ts';

/** In bytes. Only the beginning of a longer body is kept. */
export const LARGEST_BODY = 32_768;

/** Cuts a JSON value to the size limit and says how much is left out. */
export function shorten(value: unknown): unknown {
  return shortenValue(value, { left: LARGEST_BODY });
}

interface SizeBudget {
  left: number;
}

/** Approximate size of a value besides its texts: names, commas and brackets. */
const VALUE_OVERHEAD = 8;

function shortenValue(value: unknown, budget: SizeBudget): unknown {
  budget.left -= VALUE_OVERHEAD;
  if (typeof value === 'string') return shortenText(value, budget);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? shortenList(value, budget)
    : shortenObject(value as Record<string, unknown>, budget);
}

function shortenList(list: readonly unknown[], budget: SizeBudget): unknown[] {
  const kept: unknown[] = [];
  while (kept.length < list.length && budget.left > 0) kept.push(shortenValue(list[kept.length], budget));
  const more = list.length - kept.length;
  return more > 0 ? [...kept, `… ${more} more elements`] : kept;
}

function shortenObject(object: Record<string, unknown>, budget: SizeBudget): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  const names = Object.keys(object);
  for (const name of names) {
    if (budget.left <= 0) break;
    budget.left -= name.length;
    kept.push([name, shortenValue(object[name], budget)]);
  }
  const more = names.length - kept.length;
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more members`]] : kept);
}

function shortenText(text: string, budget: SizeBudget): string {
  const kept = beginningOf(text, Math.max(budget.left, 0));
  budget.left -= kept.length;
  return kept.length < text.length ? `${kept}… ${text.length - kept.length} more characters` : text;
}
