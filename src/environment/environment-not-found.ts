import { ApiError } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';

/** `wasIdle`: the environment was dropped because nobody used it. */
export function environmentNotFound(name: string, known: readonly string[], wasIdle: boolean): ApiError {
  if (wasIdle)
    return new ApiError(
      'not_found',
      `environment ${name} is gone: nobody had used it for as long as --environment-ttl says`,
    );
  return new ApiError('not_found', `environment ${name} not found${suggestAmong(name, known)}`);
}
