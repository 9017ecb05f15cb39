import { snakeCase } from '../contract/proto-json.ts';
import { invalidArgument } from '../contract/errors.ts';

interface MaskedType<T, K extends keyof T & string> {
  fields: readonly K[];
  /** What is updated, as a mask may name it before the field. */
  noun: string;
  /** Whether a field counts without a mask. */
  isGiven?: (value: unknown, field: string) => boolean;
}

/**
 * The fields that an update changes. With a mask: the named fields, emptied if the body lacks them. Without a
 * mask: every field that is given. Unverified (requests/empty-lists): an empty list or map empties the field; over gRPC,
 * it takes a mask. By default, an empty text and 0 do not count.
 */
export function chosenFields<T extends object, K extends keyof T & string>(
  body: T,
  mask: string | undefined,
  { fields, noun, isGiven = isFilled }: MaskedType<T, K>,
): { [F in K]?: T[F] | undefined } {
  const chosen = mask
    ? mask.split(',').map((path) => fieldNamed<T, K>(path.trim(), { fields, noun }))
    : fields.filter((field) => isGiven(body[field], field));
  return Object.fromEntries(chosen.map((field) => [field, body[field]])) as { [F in K]?: T[F] };
}

/** A boolean that is given counts, also if it is false. */
export const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== 0 && value !== '0';

function fieldNamed<T, K extends keyof T & string>(path: string, { fields, noun }: MaskedType<T, K>): K {
  const name = snakeCase(path).replace(`${noun}.`, '').split('.')[0];
  const field = fields.find((each) => each === name);
  if (field) return field;
  throw invalidArgument(`the mask names ${path}, which cannot be updated. These can: ${fields.join(', ')}`);
}
