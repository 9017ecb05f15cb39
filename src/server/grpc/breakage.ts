import type { ServerResponse } from 'node:http';
import type { WrittenReply } from '../../pipeline/call.ts';
import { wait, type Breakage } from '../../scenarios/faults.ts';
import { type RpcResponse, frame, frameHead } from './wire.ts';

type Broken = WrittenReply & { breakage: Breakage };

export const isBroken = (reply: WrittenReply): reply is Broken => reply.breakage !== undefined;

/**
 * Breaks the answer of an RPC as a scenario's `fault` says. Resolves to true when nothing more is to be sent, and to
 * false when the answer must still be sent whole.
 */
export async function sendBroken(
  response: RpcResponse,
  { breakage, text = '' }: Broken,
  signal: AbortSignal,
): Promise<boolean> {
  // The fault counts bytes of the JSON text, as it does over HTTP.
  if (breakage.kind === 'cut' && Number(breakage.at) >= Buffer.byteLength(text)) return false;
  if (breakage.kind === 'dribble') {
    await wait(breakage.over, signal);
    return false;
  }
  if (breakage.kind === 'garbage') sendGarbage(response, breakage.bytes);
  else if (breakage.kind === 'cut') sendHalf(response);
  else breakOff(response);
  return true;
}

/** Sends a frame of the right length whose bytes are no valid message. */
function sendGarbage(response: RpcResponse, bytes: Uint8Array): void {
  writeHead(response);
  response.write(frame(bytes));
  response.addTrailers({ 'grpc-status': '0' });
  response.end();
}

/** Sends the head of a message without the message. */
function sendHalf(response: RpcResponse): void {
  writeHead(response);
  response.write(frameHead(1000), () => breakOff(response));
}

const writeHead = (response: RpcResponse) =>
  (response as ServerResponse).writeHead(200, { 'content-type': 'application/grpc' });

/** Closes the connection. Closing only the stream would send the client a regular error. */
function breakOff(response: RpcResponse): void {
  if ('stream' in response) response.stream.session?.destroy();
  else response.socket?.destroy();
}
