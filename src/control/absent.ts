import { ApiError } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';

/** `not_found`, with the nearest of what there is. */
export const absent = (noun: string, id: string, known: readonly string[]): ApiError =>
  new ApiError('not_found', `${noun} ${id} not found${suggestAmong(id, known)}`);
