import type { Input, OperationId, Output } from '../contract/types.ts';
import type { Env } from '../environment/env.ts';
import type { Answer } from './answer.ts';

/**
 * What one operation means: all that it reads is in its input and the environment, all that it changes is in the environment. A
 * page, a redirect or someone else's answer is an `Answer`.
 */
export type Handler<K extends OperationId> = (input: Input<K>, env: Env) => Output<K> | Answer;

export type Operations = { [K in OperationId]: Handler<K> };
