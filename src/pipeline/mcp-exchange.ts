import { ApiError } from '../errors.ts';
import type { Call, Reply } from './call.ts';

/** Versions since 2025-06-18 have no batches, and with a batch nobody could say which of its calls was refused. */
export function refuseBatch(message: unknown): void {
  if (Array.isArray(message))
    throw new ApiError('invalid_argument', 'Invalid Request: send one message at a time');
}

/** The call as the library that speaks the protocol reads it. */
export function requestOf(call: Call): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(call.headers))
    if (/^(accept|content-type|mcp-.*)$/.test(name) && value !== undefined) headers.set(name, String(value));
  const url = `${call.baseUrl}${call.url}`;
  return new Request(url, { method: 'POST', headers, body: call.body ? Buffer.from(call.body) : null });
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  if (text === '') return { status: response.status, headers: {}, body: undefined };
  const headers = { 'content-type': 'application/json' };
  return { status: response.status, headers, body: JSON.parse(text) as unknown };
}
