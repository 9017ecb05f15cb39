import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Controls } from '../../control/handler.ts';
import { ApiError } from '../../errors.ts';
import { written, type Call, type WrittenReply } from '../../pipeline/call.ts';
import { refuse, signalOf } from '../sending.ts';
import { ForwardedCall, type CallHead } from './call-frame.ts';
import { allOf, frameOf, readFrame } from './frame.ts';
import { NotServed } from './owner-client.ts';
import { replyHead } from './reply-frame.ts';

interface ForwardedCalls {
  /** Throws NotServed if the environment of the call is not here. */
  serveForwarded(call: Call, head: CallHead): Promise<WrittenReply>;
}

/** Takes calls from other processes, which know the secret. */
export const createEndpoint = (calls: ForwardedCalls, controls: Controls, secret: string) => {
  const isAllowed = secretCheck(secret);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isAllowed(request.headers.authorization)) return refuse(request, response, onlyForPeers());
    try {
      send(response, await serveFrame(request, response));
    } catch (thrown) {
      if (thrown instanceof NotServed)
        response.writeHead(421).end(frameOf({ environment: thrown.environment }));
      else throw thrown;
    }
  };

  async function serveFrame(request: IncomingMessage, response: ServerResponse): Promise<WrittenReply> {
    const { head, rest } = await readFrame<CallHead>(request);
    const body = await allOf(rest);
    const contract = head.api === 'control' ? controls.contract : controls.simulator.contract;
    try {
      const call = new ForwardedCall(head, body, { contract, signal: signalOf(response) });
      return await calls.serveForwarded(call, head);
    } catch (thrown) {
      if (thrown instanceof NotServed) throw thrown;
      const error = ApiError.from(thrown);
      if (error.parts.cause !== undefined) controls.simulator.report(head.path, error.parts.cause);
      return written({ status: error.status, headers: {}, body: error.body('envelope') });
    }
  }
};

function send(response: ServerResponse, reply: WrittenReply): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  response.write(frameOf(replyHead(reply)));
  // An error means that the other process has gone: nobody waits for the rest.
  if (reply.chunks) pipeline(Readable.from(reply.chunks), response, () => {});
  else response.end(reply.text);
}

function secretCheck(secret: string): (header: string | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const wanted = digest(`Bearer ${secret}`);
  return (header = '') => timingSafeEqual(digest(header), wanted);
}

const onlyForPeers = () =>
  new ApiError('permission_denied', 'only the processes that share the database may forward calls');
