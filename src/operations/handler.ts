import type { Input, OperationId, Output } from '../contract/types.ts';
import type { World } from '../world/world.ts';
import type { Answer } from './answer.ts';

/**
 * What one operation means: all that it reads is in its input and the world, all that it changes is in the world. A
 * page, a redirect or someone else's answer is an `Answer`.
 */
export type Handler<K extends OperationId> = (input: Input<K>, world: World) => Output<K> | Answer;

export type Operations = { [K in OperationId]: Handler<K> };
