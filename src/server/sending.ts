import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { ApiError } from '../contract/errors.ts';
import { written, type WrittenReply } from '../pipeline/call.ts';
import { DIALECTS, type Dialect } from '../pipeline/dialects.ts';
import { wait, type Breakage } from '../scenarios/faults.ts';
import type { AnswerHeaders } from '@understudy/text/json';

/** `mount`: the path at which another Express app has mounted this one, or nothing. */
export function send(response: ServerResponse, answer: WrittenReply, mount = ''): void {
  const reply = mount === '' ? answer : atMount(answer, mount);
  const { status, headers, text, chunks, breakage } = reply;
  if (breakage) {
    sendBroken(response, reply, breakage);
    return;
  }
  if (chunks) {
    response.shouldKeepAlive = false; // otherwise the connection would stay open and delay a stop
    response.writeHead(status, { 'cache-control': 'no-store', ...headers }).flushHeaders();
    // If the caller disconnects, the pipe just ends.
    pipeline(Readable.from(chunks), response, () => {});
    return;
  }
  if (text === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const length = Buffer.byteLength(text);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers })
    .end(text);
}

/** Answers a request with an error before it becomes a call. The journal does not list it. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  { errorBody }: Dialect = DIALECTS.service,
): void {
  request.resume();
  send(response, written({ status: error.status, headers: {}, body: errorBody(error) }));
}

/** Sends a reply and breaks it as a scenario's `fault` says. An answer without a body is sent whole. */
function sendBroken(response: ServerResponse, reply: WrittenReply, breakage: Breakage): void {
  if (breakage.kind === 'silence') return hangUp(response.socket, breakage.reset);
  const { status, text } = reply;
  if (text === undefined) {
    if (breakage.kind === 'cut' && breakage.at === 'middle') cutHead(response, status);
    else response.writeHead(status, reply.headers).end();
    return;
  }
  const body = breakage.kind === 'garbage' ? breakage.bytes : Buffer.from(text);
  const headers = { 'content-type': 'application/json', 'content-length': body.length, ...reply.headers };
  response.writeHead(status, headers);
  if (breakage.kind === 'cut') cut(response, body, breakage.at);
  else if (breakage.kind === 'dribble') dribble(response, body, breakage);
  else response.end(body);
}

/** Resets the connection, so that the caller reads nothing, not even an end. Only a plain TCP socket can do this. */
function hangUp(socket: Socket | null, reset: boolean): void {
  if (reset && socket && 'resetAndDestroy' in socket && !('encrypted' in socket)) socket.resetAndDestroy();
  else socket?.destroy();
}

/** Sends a head that announces more bytes than follow. */
function cut(response: ServerResponse, body: Uint8Array, at: number | 'middle'): void {
  const sent = at === 'middle' ? Math.floor(body.length / 2) : at;
  if (sent >= body.length) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  response.write(body.subarray(0, sent));
  response.socket?.destroySoon();
}

function cutHead({ socket }: ServerResponse, status: number): void {
  socket?.write(`HTTP/1.1 ${status} `);
  socket?.destroySoon();
}

function dribble(
  response: ServerResponse,
  body: Uint8Array,
  { chunks, over }: { chunks: number; over: number },
): void {
  const signal = signalOf(response);
  response.flushHeaders();
  // If the caller disconnects, the pipe just ends.
  pipeline(Readable.from(pieces()), response, () => {});

  async function* pieces() {
    const borderOf = (chunk: number) => Math.floor((chunk * body.length) / chunks);
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      if (!(await wait(over / chunks, signal))) return;
      yield body.subarray(borderOf(chunk), borderOf(chunk + 1));
    }
  }
}

/** Why the signal of a call aborts. To make another one for each call would take 0.03 ms of processor time. */
const CALLER_LEFT = new DOMException('The caller has left', 'AbortError');

/** Aborts when the connection closes before the answer is complete. */
export function signalOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  if (response.closed) leaving.abort(CALLER_LEFT);
  // A complete answer closes too, and nobody waits for it any more.
  else response.once('close', () => response.writableFinished || leaving.abort(CALLER_LEFT));
  return leaving.signal;
}

/** Matches only attributes of our own markup, because quotes in shown texts are escaped. */
const ROOT = /(?<=\s(?:href|action|src)=")\/(?!\/)/g;

/** The path with its quotes and angle brackets escaped, as an attribute needs it. */
const pathOf = (mount: string) => mount.replace(/["'<>]/g, encodeURIComponent);

/** Puts the path of a mounted app before each address of a reply that begins with a slash. */
function atMount(reply: WrittenReply, mount: string): WrittenReply {
  const headers = headersAt(reply.headers, mount);
  const { text } = reply;
  if (text === undefined || !String(headers['content-type']).startsWith('text/html'))
    return { ...reply, headers };
  return { ...reply, headers, text: text.replace(ROOT, () => `${pathOf(mount)}/`) };
}

function headersAt(headers: AnswerHeaders, mount: string): AnswerHeaders {
  const { location, 'set-cookie': cookies, ...others } = headers;
  const atPath = (cookie: string) => cookie.replace(/(?<=; *Path=)\//i, `${mount}/`);
  return {
    ...others,
    ...(location !== undefined && { location: String(location).replace(/^\/(?!\/)/, `${mount}/`) }),
    ...(cookies !== undefined && { 'set-cookie': [cookies].flat().map(atPath) }),
  };
}
