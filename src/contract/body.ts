import { ApiError, invalidArgument } from '../errors.ts';
import type { Operation } from './compiled.ts';

export interface RawBody {
  contentType: string | undefined;
  bytes: Uint8Array | undefined;
}

export interface Body {
  mediaType: string;
  /** undefined: none was sent. */
  value: unknown;
}

/** Reads a request body as the operation's content types say. A body without a content type is read as the first of them. */
export function readBody({ contentType, bytes }: RawBody, operation: Operation): Body {
  const accepted = Object.keys(operation.requestBody?.content ?? {});
  const first = accepted[0];
  if (first === undefined || bytes === undefined || bytes.length === 0)
    return { mediaType: first ?? '', value: undefined };
  const given = contentType?.split(';')[0]?.trim().toLowerCase();
  const mediaType = given === undefined || given === '' ? first : given;
  if (!accepted.includes(mediaType)) {
    throw new ApiError(
      'unsupported_media_type',
      `content type ${mediaType} is not one of ${accepted.join(', ')}`,
    );
  }
  const text = new TextDecoder().decode(bytes);
  return { mediaType, value: parse(mediaType, text) };
}

function parse(mediaType: string, text: string): unknown {
  if (mediaType === 'application/x-www-form-urlencoded') return readPairs(new URLSearchParams(text));
  if (mediaType !== 'application/json') return text;
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw invalidArgument(`malformed JSON: ${(thrown as SyntaxError).message}`);
  }
}

/** A name that comes once is a text, one that comes again a list. */
export function readPairs(pairs: URLSearchParams): Record<string, string | string[]> {
  const names = new Set(pairs.keys());
  return Object.fromEntries(
    Array.from(names, (name) => {
      const values = pairs.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}
