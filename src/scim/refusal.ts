import { ApiError, type ScimType } from '../errors.ts';
import { withoutMiddle } from '../text/suggestion.ts';

/** What a caller sent that SCIM has a word for (RFC 7644 3.12). */
export const refusal = (scimType: ScimType, detail: string): ApiError =>
  new ApiError('invalid_argument', detail, { scimType });

const LONGEST_QUOTE = 200;

/** A part of what the caller sent, for a message. */
export const quoted = (text: string): string => withoutMiddle(text, LONGEST_QUOTE);
