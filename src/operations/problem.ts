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
  const member = violation?.field.split('.').at(-1);
  const field = Object.keys(labels).find((name) => name === member || new RegExp(`\\b${name}\\b`).test(text));
  if (field === undefined) return { text: sentence(text) };
  const label = labels[field]!;
  return { field, text: sentence(text.replace(/^value\b/, label).replaceAll(field, label)) };
}
