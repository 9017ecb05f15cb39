import { createHmac } from 'node:crypto';

export interface MessageToSign {
  /** The same for every attempt. */
  id: string;
  time: number;
  body: string;
}

/**
 * Receivers read one prefix or the other: the Node and Java SDKs expect `interceptor-*` for interceptors, the Go SDK
 * `webhook-*`.
 */
export type HeaderSet = 'webhook' | 'interceptor';

/** Signs a message with each secret, as Standard Webhooks defines; the newest secret comes first. */
export function signatureHeaders(
  set: HeaderSet,
  { id, time, body }: MessageToSign,
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

/** All SDKs take the part after the first `_` of the secret as a base64 key. */
const mac = (secret: string, content: string) =>
  createHmac('sha256', Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64'))
    .update(content)
    .digest('base64');
