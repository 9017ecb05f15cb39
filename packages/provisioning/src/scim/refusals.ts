import { ScimRefusal, type ScimType } from '@understudy/scim/refusal';
import { ApiError } from '@understudy/core/contract/errors';
import type { Env } from '@understudy/core/state/env';
import { suggestAmong } from '@understudy/text/suggestion';
import { ruleNamed } from '@understudy/core/operations/refusals';

/** What the service refuses, where SCIM has a word for it. */
export const refusal = (scimType: ScimType, detail: string): ApiError =>
  new ApiError('invalid_argument', detail, { scimType, why: { kind: 'contract' } });

type AnyHandler = (input: never, env: Env) => unknown;

/** The same handlers: what the standard refuses is a bad request, with the rule that the refusal names. */
export function answering<T extends Readonly<Record<string, AnyHandler>>>(handlers: T): T {
  const wrapped = Object.entries(handlers).map(([id, handle]): [string, AnyHandler] => [
    id,
    (input, env) => {
      try {
        return handle(input, env);
      } catch (thrown) {
        throw thrown instanceof ScimRefusal ? answerTo(thrown) : thrown;
      }
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}

function answerTo({ scimType, message, unknown, rule }: ScimRefusal): ApiError {
  const error = refusal(scimType, message + (unknown ? suggestAmong(unknown.name, unknown.known) : ''));
  return rule === undefined ? error : error.decidedBy(ruleNamed(rule));
}
