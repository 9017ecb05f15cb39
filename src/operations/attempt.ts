import { ApiError } from '../errors.ts';
import type { Answer } from './answer.ts';

/** What is refused becomes a page, so that the frame shows it. Changes are refused before they begin: none is half made. */
export function attempt(change: () => Answer, refused: (refusal: ApiError) => Answer): Answer {
  try {
    return change();
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status >= 500) throw thrown;
    return refused(thrown);
  }
}
