import express, { type RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';

/** A request after its body was read. */
export interface WithBody extends IncomingMessage {
  body?: unknown;
  /** Why the body could not be read. */
  bodyError?: ApiError;
  /** The path at which the app is mounted. */
  baseUrl?: string;
}

const CALL_LIMIT = 1_000_000;
/** A whole fixture may be put through the control API. */
const FIXTURE_LIMIT = 100_000_000;
const STATE_PATH = /^\/_control\/v1\/(?:environments\/[^/]+\/)?state\/?$/;

const reader = (limit: number) => express.raw({ type: () => true, limit });
const readCall = reader(CALL_LIMIT);
const readFixture = reader(FIXTURE_LIMIT);

/** Reads the body as bytes. The pipeline refuses a body that could not be read, so that the journal has the call. */
export const readBody: RequestHandler = (
  request: WithBody & Parameters<RequestHandler>[0],
  response,
  next,
) => {
  if (!hasBody(request) || Buffer.isBuffer(request.body)) return next();
  if (request.readableEnded) {
    request.bodyError = readBefore();
    return next();
  }
  const read = STATE_PATH.test(request.path) ? readFixture : readCall;
  return read(request, response, (thrown: unknown) => {
    if (thrown !== undefined) {
      request.resume();
      request.bodyError = bodyErrorOf(thrown);
    }
    next();
  });
};

const readBefore = () =>
  new ApiError(
    'failed_precondition',
    'the request body was read before it came to Understudy: mount sim.app before body parsers such as express.json()',
  );

/** As HTTP/1.1 tells it (RFC 9112 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

function bodyErrorOf(thrown: unknown): ApiError {
  const { type, message, limit = 0 } = thrown as { type?: string; message?: string; limit?: number };
  if (type === 'entity.too.large')
    return new ApiError('payload_too_large', `the request body is larger than ${limit / 1_000_000} MB`);
  if (type === 'encoding.unsupported') return new ApiError('unsupported_media_type', String(message));
  return new ApiError('invalid_argument', `the request body cannot be read: ${String(message)}`);
}
