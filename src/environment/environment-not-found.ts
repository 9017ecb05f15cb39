import { ApiError } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';

/** `wasIdle`: the environment was dropped because nobody used it. */
export function environmentNotFound(name: string, known: readonly string[], wasIdle: boolean): ApiError {
  if (wasIdle)
    return new ApiError(
      'not_found',
      `environment ${name} was dropped, because it was not used for the time of --environment-ttl`,
    );
  return new ApiError('not_found', `environment ${name} not found${suggestAmong(name, known)}`);
}
