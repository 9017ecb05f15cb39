import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError } from '../errors.ts';
import { bodyErrorOf } from './bridge.ts';

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
