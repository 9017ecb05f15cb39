import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import type { Addressing } from './address.ts';
import { callOf } from './bridge.ts';
import { send } from './sending.ts';
import { bodyTaker, hasBody } from './take-body.ts';

const BODY_LIMIT = 1_000_000;

export type Answer = (call: Call) => Promise<WrittenReply>;

/** Told of what no caller can be sent. */
export type OnCrash = (thrown: unknown, request: IncomingMessage, response: ServerResponse) => void;

export interface Answering extends Addressing {
  crashed: OnCrash;
  /** Of a body, in bytes. */
  limit?: number;
}

/** A body that can't be taken in is the pipeline's business, not Express's: the refused call is journaled too. */
export function answered(
  answer: Answer,
  { crashed, limit = BODY_LIMIT, ...addressing }: Answering,
): RequestListener {
  const takeBody = bodyTaker(limit);
  return async (request, response) => {
    try {
      const bodyError = hasBody(request) ? await takeBody(request, response) : undefined;
      send(response, await answer(callOf({ request, response, bodyError }, addressing)));
    } catch (thrown) {
      crashed(thrown, request, response);
    }
  };
}
