import { isObject } from '../../json-object.ts';
import type { Heard } from '../../world/question.ts';

/** What came of trying an interceptor out; its failure policy has no part in it. */
export function viewTrial({ status, answer, failure }: Heard) {
  const { violations, code = '', message = '' } = failure ?? {};
  return {
    ...(isObject(answer) && { interceptor_response: answer }),
    ...(violations && { validation_error: { field_violations: [...violations] } }),
    ...(failure && {
      error: {
        code,
        message: Array.from(message).slice(0, LONGEST_MESSAGE).join(''),
        ...(status !== undefined && { details: { status } }),
      },
    }),
  };
}

const LONGEST_MESSAGE = 500;
