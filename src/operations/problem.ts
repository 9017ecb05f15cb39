import { ApiError } from '../errors.ts';
import { sentence } from '../pages/controls.ts';
import type { Answer } from './answer.ts';

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

/** What is refused becomes a page, so that the frame shows it. Changes are refused before they begin: none is half made. */
export function attempt(change: () => Answer, refused: (refusal: ApiError) => Answer): Answer {
  try {
    return change();
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status >= 500) throw thrown;
    return refused(thrown);
  }
}
