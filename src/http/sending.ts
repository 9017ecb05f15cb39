import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { WrittenReply } from '../pipeline/call.ts';
import { sendBroken } from './broken-sending.ts';

export function send(response: ServerResponse, reply: WrittenReply): void {
  const { status, headers, text, chunks, breakage } = reply;
  if (breakage) {
    sendBroken(response, reply, breakage);
    return;
  }
  if (chunks) {
    response.shouldKeepAlive = false; // or its connection would outlast it, and hold up a stop
    response.writeHead(status, { 'cache-control': 'no-store', ...headers }).flushHeaders();
    // A caller that leaves in the middle is no failure: the pipe ends there.
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
