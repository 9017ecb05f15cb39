import type { Operation } from '../contract/compiled.ts';
import type { Answered } from '../outgoing/post.ts';
import { factsOfMessage } from '../scenarios/message-facts.ts';
import { SILENT, type Script } from '../scenarios/script.ts';
import type { Question } from '../world/question.ts';
import type { Occasion } from './interception.ts';
import { parse } from './send.ts';
import { Unheard } from './unheard.ts';

/** What the scenarios of an environment have to say of a question. A trial is between the tester and the interceptor. */
export function scriptOf(
  { interceptor, body, isTrial }: Question,
  message: Operation | undefined,
  { environment }: Occasion,
): Script {
  if (!message || isTrial) return SILENT;
  return environment.scenarios.scriptFor(factsOfMessage(message, { body, to: interceptor.api_url ?? '' }));
}

/** The answer: the scenario's in the interceptor's place, or what the interceptor says, and the scenario changes of it. */
export async function answerBy(
  script: Script,
  ask: () => Promise<Answered>,
  { question: { interceptor }, signal }: { question: Question; signal: AbortSignal },
): Promise<Answered> {
  const { timeout_ms, api_url: url = '' } = interceptor;
  const late = AbortSignal.timeout(timeout_ms);
  const reply = await script.play({ signal: AbortSignal.any([signal, late]) });
  if (late.aborted) throw new Unheard('TIMEOUT', `${url} did not answer within ${timeout_ms} ms`);
  if (reply?.status === 0)
    throw new Unheard('UNREACHABLE', `${url} can not be reached: a scenario wants it so`);
  if (reply) return { status: reply.status, text: textOf(reply.body), isCut: false };
  const answered = await ask();
  const edited = script.edit({ status: answered.status, headers: {}, body: parse(answered.text) });
  return edited ? { ...answered, text: textOf(edited.body) } : answered;
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
