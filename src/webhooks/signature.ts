import { createHmac } from 'node:crypto';

export interface Signed {
  /** The same for each attempt. */
  id: string;
  /** Milliseconds since 1970. */
  time: number;
  body: string;
}

/** Whose headers: receivers read one kind or the other (reference: accounts-connections-events 6.4). */
export type HeaderSet = 'webhook' | 'interceptor';

/** The headers of a message, as Standard Webhooks has them: signed with each of the secrets, the newest first. */
export function signatureHeaders(
  set: HeaderSet,
  { id, time, body }: Signed,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(time / 1000));
  const content = `${id}.${timestamp}.${body}`;
  return {
    [`${set}-id`]: id,
    [`${set}-timestamp`]: timestamp,
    [`${set}-signature`]: secrets.map((secret) => `v1,${mac(secret, content)}`).join(' '),
  };
}

/** The key is base64 after the first `_` (reference: accounts-connections-events 5.3). */
const mac = (secret: string, content: string) =>
  createHmac('sha256', Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64'))
    .update(content)
    .digest('base64');
