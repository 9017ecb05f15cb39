import type { Input, OperationId, Output } from '../contract/types.ts';
import type { Env } from '../environment/env.ts';
import type { Answer } from './answer.ts';

/**
 * The function of one operation. It reads only its input and the environment and changes only the
 * environment. It returns an `Answer` for a page, a redirect or a third party's reply.
 */
export type Handler<K extends OperationId> = (input: Input<K>, env: Env) => Output<K> | Answer;

export type Operations = { [K in OperationId]: Handler<K> };
