import { createHash, createHmac } from 'node:crypto';
import type { Env } from '../state/env.ts';
import type { Rows } from '../state/schema.ts';

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

type Endpoint = Rows['webhook_endpoints'];

/** 24 bytes, as in the secrets of the service. */
export const newSecret = ({ draw }: Env) => `whsec_${draw.text(32)}`;

/** A secret that no receiver knows, the same for the same text. */
export const unknownSecret = (text: string) => `whsec_${createHash('sha256').update(text).digest('base64')}`;

/** The secrets that sign a delivery, newest first. */
export const secretsOf = ({ secret, old_secrets = [] }: Endpoint, now: number): string[] => [
  secret,
  ...unexpiredSecrets(old_secrets, now).map((old) => old.secret),
];

export const unexpiredSecrets = (secrets: NonNullable<Endpoint['old_secrets']>, now: number) =>
  secrets.filter(({ expires_at }) => Date.parse(expires_at) > now);
