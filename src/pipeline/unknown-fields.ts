import type { UnknownField } from '../contract/unknown-field.ts';
import type { FieldViolation } from '../errors.ts';
import { nearest } from '../text/suggestion.ts';

const LONGEST_WARNING = 1000;
const LONGEST_NAME = 100;
/** How many names are looked for: of very many strangers none is a slip. */
const MOST_SLIPS = 10;

/** How they are refused. `where` has no such field: the contract, or one call of it. */
export const refused = (unknown: readonly UnknownField[], where = 'the contract'): FieldViolation[] =>
  unknown.map((each, index) => ({
    field: each.field,
    description: `${where} has no such field${index < MOST_SLIPS ? hint([each]) : ''}`,
    constraint: 'unknown_field',
  }));

/** What was dropped from the request. Clients take only so much in a header; the journal has it all. */
export function warnings(unknown: readonly UnknownField[]): Record<string, string> {
  if (unknown.length === 0) return {};
  const fields = shortened(unknown.map(({ field }) => field).join(', '));
  return { 'understudy-warnings': shortened(`unknown: ${fields}${hint(unknown)}`) };
}

function shortened(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, '?');
  return plain.length > LONGEST_WARNING ? `${plain.slice(0, LONGEST_WARNING)}...` : plain;
}

function hint(unknown: readonly UnknownField[]): string {
  const slips = unknown.slice(0, MOST_SLIPS).filter(({ name }) => name.length <= LONGEST_NAME);
  const names = slips.map(({ name, known }) => nearest(name, known()));
  const found = [...new Set(names)].filter((name) => name !== undefined);
  return found.length === 0 ? '' : `; did you mean ${found.join(', ')}?`;
}
