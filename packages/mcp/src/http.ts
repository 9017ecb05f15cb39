import type { AnswerHeaders } from '@understudy/text/json';

/** A call, as far as the library that speaks the protocol reads it. */
export interface PostedMessage {
  readonly baseUrl: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array | undefined;
}

export interface MessageReply {
  status: number;
  headers: AnswerHeaders;
  body: unknown;
}

export function requestOf(call: PostedMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(call.headers))
    if (/^(accept|content-type|mcp-.*)$/.test(name) && value !== undefined) headers.set(name, String(value));
  const url = `${call.baseUrl}${call.url}`;
  return new Request(url, { method: 'POST', headers, body: call.body ? Buffer.from(call.body) : null });
}

export async function replyOf(response: Response): Promise<MessageReply> {
  const text = await response.text();
  if (text === '') return { status: response.status, headers: {}, body: undefined };
  const type = response.headers.get('content-type') ?? '';
  const isEvents = type.startsWith('text/event-stream'); // such as the answer to `subscriptions/listen`
  const headers = { 'content-type': isEvents ? type : 'application/json' };
  return { status: response.status, headers, body: isEvents ? text : (JSON.parse(text) as unknown) };
}
