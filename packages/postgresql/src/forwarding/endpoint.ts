import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Controls } from '@understudy/core/control/handler';
import { ApiError, invalidArgument } from '@understudy/core/contract/errors';
import { written, type Call, type WrittenReply } from '@understudy/core/pipeline/call';
import { refuse, signalOf } from '@understudy/core/server/sending';
import { callIn, type CallHead, allOf, frameOf, readFrame, replyHead } from './frame.ts';
import { isSecret } from '@understudy/text/secrets';
import { NotServed } from './owner-client.ts';

interface ForwardedCalls {
  /** Throws NotServed if the environment of the call is not here. */
  serveForwarded(call: Call, head: CallHead): Promise<WrittenReply>;
}

/** Bytes of a body: the most that the control API takes, for a fixture. */
const MOST_BODY = 100_000_000;

/** Takes calls from other processes, which know the secret. `HEAD` asks whether this process can be reached. */
export const createEndpoint = (calls: ForwardedCalls, controls: Controls, secret: string) => {
  const isAllowed = (header = '') => isSecret(header, `Bearer ${secret}`);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isAllowed(request.headers.authorization)) return refuse(request, response, onlyForPeers());
    if (request.method === 'HEAD') return void response.writeHead(204).end();
    const received = await receive(request).catch((thrown: unknown) => {
      if (thrown instanceof ApiError) refuse(request, response, thrown);
      else response.destroy(); // the other process has gone
    });
    if (!received) return;
    try {
      send(response, await serve(received, response));
    } catch (thrown) {
      if (!(thrown instanceof NotServed)) throw thrown;
      response.writeHead(421).end(frameOf({ environment: thrown.environment }));
    }
  };

  async function serve({ head, body }: ReceivedCall, response: ServerResponse): Promise<WrittenReply> {
    const contract = head.api === 'control' ? controls.contract : controls.simulator.contract;
    try {
      const call = callIn(head, body, { contract, signal: signalOf(response) });
      return await calls.serveForwarded(call, head);
    } catch (thrown) {
      if (thrown instanceof NotServed) throw thrown;
      return failure(thrown, (cause) => controls.simulator.report(head.path, cause));
    }
  }
};

function failure(thrown: unknown, report: (cause: unknown) => void): WrittenReply {
  const error = ApiError.from(thrown);
  const { cause, headers } = error.parts;
  if (cause !== undefined) report(cause);
  return written({ status: error.status, headers: { ...headers }, body: error.envelope() });
}

interface ReceivedCall {
  head: CallHead;
  body: Buffer;
}

async function receive(request: IncomingMessage): Promise<ReceivedCall> {
  const { head, rest } = await readFrame<CallHead>(request);
  if (!isCall(head)) throw invalidArgument('the frame is no call');
  return { head, body: await allOf(rest, MOST_BODY) };
}

const isCall = ({ method, path, headers, absent }: Partial<CallHead>) =>
  typeof method === 'string' &&
  typeof path === 'string' &&
  typeof headers === 'object' &&
  Array.isArray(absent);

function send(response: ServerResponse, reply: WrittenReply): void {
  const frame = frameOf(replyHead(reply));
  const headers = { 'content-type': 'application/octet-stream' };
  if (reply.chunks) {
    response.writeHead(200, headers).write(frame);
    // An error means that the other process has gone: nobody waits for the rest.
    pipeline(Readable.from(reply.chunks), response, () => {});
    return;
  }
  const whole = Buffer.concat([frame, Buffer.from(reply.text ?? '')]);
  response.writeHead(200, { ...headers, 'content-length': whole.length }).end(whole);
}

const onlyForPeers = () =>
  new ApiError('permission_denied', 'only the processes that share the database may forward calls');
