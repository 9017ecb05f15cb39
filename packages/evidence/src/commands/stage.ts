import type { Contract } from '@understudy/core/contract/contract';
import { ControlClient, type EnvironmentControl } from '@understudy/client/control';
import { KNOWN_CREDENTIALS, type Config } from '@understudy/core/config';
import type { Answer } from '../drift/answer-comparison.ts';
import type { ReceivedEvent, SentRequest, Stage } from '../drift/stage.ts';
import type { RpcClient } from '../rpc/rpc-client.ts';
import { embed } from '@understudy/core/cli/serve';

/** A client of a service: its address and its credentials. */
interface ServiceAccess {
  url: string;
  clientId: string;
  clientSecret: string;
}

/** A call without an answer after this time, in milliseconds, has failed. */
const LONGEST_CALL = 60_000;

/** Calls a service as a recorded client did. Its clock stays as it is, and its events are not seen. */
export function stageAt({ url, clientId, clientSecret }: ServiceAccess, contract: Contract): Stage {
  let token: Promise<string> | undefined;
  let rpc: RpcClient | undefined;
  const send = (request: SentRequest) => sendTo(url, request);
  return {
    url,
    clientId,
    clientSecret,
    token: () => (token ??= tokenOf({ url, clientId, clientSecret }, send)),
    send,
    async sendRpc(request) {
      const { RpcClient } = await import('../rpc/rpc.ts');
      return (rpc ??= new RpcClient(url, contract)).send(request);
    },
  };
}

async function tokenOf({ clientId, clientSecret }: ServiceAccess, send: Stage['send']): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { json } = await send({ method: 'POST', path: '/oauth/token', headers, body });
  return String((json as { access_token?: unknown } | undefined)?.access_token);
}

async function sendTo(url: string, { method, path, headers, body }: SentRequest): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(LONGEST_CALL),
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const cookies = response.headers.getSetCookie();
  const answer = {
    status: response.status,
    headers: {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    },
  };
  if (!/\bjson\b/.test(response.headers.get('content-type') ?? ''))
    return { ...answer, ...(text !== '' && { text }) };
  try {
    return { ...answer, json: JSON.parse(text) as unknown };
  } catch {
    return { ...answer, text };
  }
}

/** A client's tokens live for a day. They are asked for again long before. */
const FRESH = 3_600_000;

/** An Understudy of its own in this process. It calls no other service, and its clock moves only when it is set. */
export async function openStage(
  wanted: Partial<Config>,
  contract: Contract,
): Promise<{ stage: Stage; close: () => Promise<void> }> {
  // What a recording has made, such as an interceptor, must not call the addresses that it names.
  const closed = { webhookAllow: ['nothing.invalid'], logLevel: 'error' as const };
  const running = await embed({ ...closed, ...wanted }, () => {});
  const { client_id: clientId, client_secret: clientSecret } = KNOWN_CREDENTIALS;
  const environment = new ControlClient(running.url).environment('default');
  const inbox = await environment.webhooks.inbox();
  const access = { url: running.url, clientId, clientSecret };
  const plain = stageAt(access, contract);
  let now = 0;
  let token: { value: Promise<string>; at: number } | undefined;
  const stage: Stage = {
    ...plain,
    token: () =>
      (token =
        token && now - token.at < FRESH
          ? token
          : { value: tokenOf(access, (request) => plain.send(request)), at: now }).value,
    async setTime(at) {
      now = at;
      await environment.clock.freeze(new Date(at));
    },
    events: () => eventsOf(environment, inbox.id),
  };
  return { stage, close: async () => void (await running.stop()) };
}

async function eventsOf(environment: EnvironmentControl, endpoint: string): Promise<ReceivedEvent[]> {
  const deliveries = await environment.webhooks.deliveries.list({ endpoint, limit: 1000 });
  return deliveries.map(({ event_type: type, payload }) => ({ type, payload }));
}
