import express, { type RequestHandler } from 'express';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { readPairs } from '../contract/body.ts';
import { ApiError } from '../contract/errors.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import { addressOf, callerOf, socketOf, type Addressing } from './address.ts';
import type { RpcRequest, RpcServer } from './grpc/wire.ts';
import { send, signalOf } from './sending.ts';

/** A request after its body was read. */
interface WithBody extends IncomingMessage {
  body?: unknown;
  /** Why the body could not be read. */
  bodyError?: ApiError;
  /** The path at which the app is mounted. */
  baseUrl?: string;
}

const RPC_PATH = /^\/(?:scalekit\.v1|grpc)\.[\w.]+\/\w+(\?|$)/;

/** Recognizes gRPC and gRPC-Web by media type, and Connect, which uses JSON's media type, by path. */
export const isRpc = ({ headers, url = '' }: RpcRequest) =>
  headers['content-type']?.startsWith('application/grpc') === true || RPC_PATH.test(url);

export const handToRpc =
  (rpc: RpcServer): RequestHandler =>
  (request, response, next) =>
    isRpc(request) ? rpc.listener(request, response) : next();

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
    if (isAborted(thrown)) return;
    if (thrown !== undefined) {
      request.resume();
      request.bodyError = bodyErrorOf(thrown);
    }
    next();
  });
};

type Answer<P> = (call: Call, parts: P) => WrittenReply | Promise<WrittenReply>;

/** Makes a call of the request, and sends the reply that `answer` gives for it. */
export const answering =
  <P>(answer: Answer<P>, parts: P, addressing: Addressing) =>
  async (request: WithBody, response: ServerResponse): Promise<void> => {
    send(response, await answer(new HttpCall(request, response, addressing), parts), request.baseUrl);
  };

/** Created for every request. It is a class because an object literal with a getter costs as much as parsing the URL. */
class HttpCall implements Call {
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly query: Call['query'];
  readonly headers: Call['headers'];
  readonly body: Uint8Array | undefined;
  readonly size: number;
  readonly bodyError: ApiError | undefined;
  readonly baseUrl: string;
  readonly host: string;
  readonly address: string | undefined;
  readonly #response: ServerResponse;

  constructor(request: WithBody, response: ServerResponse, addressing: Addressing) {
    const url = request.url ?? '/';
    const [path, search] = splitOnce(url, '?');
    const { host, origin } = addressOf(request, addressing);
    this.protocol = `http/${socketOf(request).httpVersion ?? request.httpVersion}`;
    this.method = request.method ?? 'GET';
    this.path = path;
    this.url = url;
    this.query = search === '' ? {} : readPairs(new URLSearchParams(search));
    this.headers = request.headers;
    this.body = request.body instanceof Uint8Array ? request.body : undefined;
    this.size = this.body?.length ?? 0;
    this.bodyError = request.bodyError;
    this.baseUrl = addressing.baseUrl ?? origin;
    this.host = host;
    this.address = callerOf(request, addressing);
    this.#response = response;
  }

  get signal(): AbortSignal {
    return signalOf(this.#response);
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

const readBefore = () =>
  new ApiError(
    'failed_precondition',
    'the request body was read before it came to Understudy: mount sim.app before body parsers such as express.json()',
    { why: { kind: 'protocol' } },
  );

/** As HTTP/1.1 tells it (RFC 9112 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** The caller has disconnected in the middle of the body, so nobody waits for an answer. */
const isAborted = (thrown: unknown) => (thrown as { type?: string } | undefined)?.type === 'request.aborted';

function bodyErrorOf(thrown: unknown): ApiError {
  const { type, message, limit = 0 } = thrown as { type?: string; message?: string; limit?: number };
  if (type === 'entity.too.large')
    return new ApiError('payload_too_large', `the request body is larger than ${limit / 1_000_000} MB`);
  if (type === 'encoding.unsupported') return new ApiError('unsupported_media_type', String(message));
  return new ApiError('invalid_argument', `the request body cannot be read: ${String(message)}`, {
    why: { kind: 'protocol' },
  });
}

/**
 * Whether a request is plain gRPC, as all official SDKs speak it: binary and uncompressed. Such calls take a fast path,
 * because the library's support for every protocol costs more time than the call. The library serves all other calls.
 */
export function isPlain(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  return (
    method === 'POST' &&
    (type === 'application/grpc' || type === 'application/grpc+proto') &&
    (headers['grpc-encoding'] ?? 'identity') === 'identity' &&
    /^(\d{1,8}[HMSmun])?$/.test(String(headers['grpc-timeout'] ?? ''))
  );
}
