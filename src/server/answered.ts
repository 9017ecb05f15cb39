import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ApiError } from '../errors.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import type { Addressing } from './address.ts';
import { bodyErrorOf, callOf } from './bridge.ts';
import { send } from './sending.ts';

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

/** Puts the body into the request; else says why that can not be. */
export type TakeBody = (request: IncomingMessage, response: ServerResponse) => Promise<ApiError | undefined>;

/** At most `limit` bytes. Express is loaded for the first body. */
export function bodyTaker(limit: number): TakeBody {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => (await import('express')).default.raw({ type: () => true, limit });
  return async (request, response) => {
    const takeIn = await (loading ??= load());
    const thrown = await new Promise<unknown>((resolve) => takeIn(request, response, resolve));
    if (thrown === undefined) return undefined;
    request.resume();
    return bodyErrorOf(thrown);
  };
}

/** As HTTP/1.1 tells it (RFC 9112 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
