import type { ApiError } from '../errors.ts';
import { sentence } from '../pages/sentence.ts';

/** What was wrong with a form, and at which of its fields. */
export interface Problem {
  field?: string;
  text: string;
}

/** The refusal at the field that it names, in the words of the page. */
export function problemOf(refusal: ApiError, labels: Readonly<Record<string, string>>): Problem {
  const [violation] = refusal.parts.violations ?? [];
  const text = violation?.description ?? refusal.message;
  const field = Object.keys(labels).find((name) => new RegExp(`\\b${name}\\b`).test(text));
  if (field === undefined) return { text: sentence(text) };
  return { field, text: sentence(text.replaceAll(field, labels[field]!)) };
}
