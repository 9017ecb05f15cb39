import { ApiError } from '../errors.ts';
import { sentence } from '../pages/controls.ts';
import type { CustomReply } from './custom-reply.ts';

/** What is wrong with a form, and at which field. */
export interface FormProblem {
  field?: string;
  text: string;
}

/** Turns an error into a problem at its field, in the words of the page. */
export function problemOf(refusal: ApiError, labels: Readonly<Record<string, string>>): FormProblem {
  const [violation] = refusal.parts.violations ?? [];
  const text = violation?.description ?? refusal.message;
  const member = violation?.field.split('.').at(-1);
  const field = Object.keys(labels).find((name) => name === member || new RegExp(`\\b${name}\\b`).test(text));
  if (field === undefined) return { text: sentence(text) };
  const label = labels[field]!;
  return { field, text: sentence(text.replace(/^value\b/, label).replaceAll(field, label)) };
}

/**
 * Shows a rejected change as a page. Handlers check before they change anything, so no change is half done.
 */
export function catchRefusal(
  change: () => CustomReply,
  refused: (refusal: ApiError) => CustomReply,
): CustomReply {
  try {
    return change();
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status >= 500) throw thrown;
    return refused(thrown);
  }
}
