import type { Input, OperationId, Output } from '../contract/types.ts';
import type { Env } from '../state/env.ts';
import type { CustomReply } from './custom-reply.ts';

/**
 * The function of one operation. It reads only its input and the environment and changes only the
 * environment. It returns a `CustomReply` for a page, a redirect or a third party's reply.
 */
export type Handler<K extends OperationId> = (input: Input<K>, env: Env) => Output<K> | CustomReply;

export type Operations = { [K in OperationId]: Handler<K> };
