import type { Failure, Heard } from '../world/question.ts';

/** The interceptor could not be heard, or what it said is no answer. */
export class Unheard extends Error {
  readonly code: string;
  readonly parts: Pick<Heard, 'status' | 'answer'> & Pick<Failure, 'violations'>;

  constructor(code: string, message: string, parts: Unheard['parts'] = {}) {
    super(message);
    this.code = code;
    this.parts = parts;
  }
}
