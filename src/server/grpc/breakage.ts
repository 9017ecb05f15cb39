import type { ServerResponse } from 'node:http';
import type { WrittenReply } from '../../pipeline/call.ts';
import { wait, type Breakage } from '../../scenarios/faults.ts';
import type { RpcResponse } from './details.ts';
import { frame, frameHead } from './frame.ts';

type Broken = WrittenReply & { breakage: Breakage };

export const isBroken = (reply: WrittenReply): reply is Broken => reply.breakage !== undefined;

/**
 * Answers an RPC so that its answer breaks, as a scenario wants it. Resolves when nothing more is to be sent; false:
 * the answer itself is whole, or only late.
 */
export async function sendBroken(
  response: RpcResponse,
  { breakage, text = '' }: Broken,
  signal: AbortSignal,
): Promise<boolean> {
  // As over HTTP, where that text is what is cut.
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

/** A message by its length, and nothing that could be read as one. */
function sendGarbage(response: RpcResponse, bytes: Uint8Array): void {
  writeHead(response);
  response.write(frame(bytes));
  response.addTrailers({ 'grpc-status': '0' });
  response.end();
}

/** The head of a message, and not the message. */
function sendHalf(response: RpcResponse): void {
  writeHead(response);
  response.write(frameHead(1000), () => breakOff(response));
}

const writeHead = (response: RpcResponse) =>
  (response as ServerResponse).writeHead(200, { 'content-type': 'application/grpc' });

/** The connection and not only the stream, whose end would be a failure that the server tells of. */
function breakOff(response: RpcResponse): void {
  if ('stream' in response) response.stream.session?.destroy();
  else response.socket?.destroy();
}
