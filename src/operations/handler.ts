import type { Input, OperationId, Output } from '../contract/types.ts';
import type { World } from '../world/world.ts';

/** What one operation means: all that it reads is in its input and the world, all that it changes is in the world. */
export type Handler<K extends OperationId> = (input: Input<K>, world: World) => Output<K>;

export type Operations = { [K in OperationId]: Handler<K> };

/** Someone else's answer, to be handed on as it is: an operation that the document says is open may give one. */
export class Passthrough {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;

  constructor(status: number, headers: Record<string, string>, body: unknown) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}
