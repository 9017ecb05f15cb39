import { isDeepStrictEqual } from 'node:util';
import type { Rows } from '../../environment/rows/schema.ts';
import { isObject } from '../../text/json.ts';
import type { Params } from './tool-response.ts';

type ToolAnswer = NonNullable<Rows['tools']['answers']>[number];

/** The first of the tool's answers that fits the params, else its usual response. */
export const chosenAnswer = (
  { answers = [], response }: Rows['tools'],
  params: Params,
): Pick<ToolAnswer, 'response' | 'error'> => answers.find(({ when }) => fits(when, params)) ?? { response };

function fits(wanted: unknown, given: unknown): boolean {
  if (!isObject(wanted) || !isObject(given)) return isDeepStrictEqual(wanted, given);
  return Object.entries(wanted).every(([name, value]) => fits(value, given[name]));
}
