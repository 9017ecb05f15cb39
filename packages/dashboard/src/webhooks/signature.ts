import type { WebhookDelivery, WebhookEndpoint } from '@understudy/client/control';
import { base64Of, bytesIn, bytesOf, NO_CRYPTO, subtle } from '../sign-in/authorize.ts';

export type Attempt = WebhookDelivery['attempts'][number];

/** One step of the check, as a receiver does it. */
interface Step {
  name: string;
  value: string;
}

export interface Checked {
  steps: Step[];
  /** Undefined if the browser can't tell. */
  good: boolean | undefined;
  text: string;
}

/** Receivers refuse timestamps that are further away than this many seconds (Standard Webhooks). */
const TOLERANCE = 300;

/** The payload that receivers get: a scenario may have replaced the event. */
const bodyOf = ({ payload }: Attempt, { body = '' }: WebhookDelivery): string =>
  payload === undefined ? body : JSON.stringify(payload);

/** Checks what was sent, as Standard Webhooks defines, with each secret of the endpoint. */
export async function check(
  attempt: Attempt,
  delivery: WebhookDelivery,
  { secret, old_secrets = [] }: WebhookEndpoint,
  followsMachine: boolean,
): Promise<Checked> {
  const { headers = {} } = attempt;
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`],
  );
  const given = [
    { name: 'webhook-id', value: id ?? 'absent' },
    { name: 'webhook-timestamp', value: timestamp ?? 'absent' },
    { name: 'webhook-signature', value: signature ?? 'absent' },
  ];
  if (id === undefined || timestamp === undefined || signature === undefined)
    return { steps: given, good: false, text: 'The headers of the signature are missing.' };
  if (!subtle) return { steps: given, good: undefined, text: NO_CRYPTO };
  const secrets = [secret, ...old_secrets.map((each) => each.secret)];
  const content = `${id}.${timestamp}.${bodyOf(attempt, delivery)}`;
  const expected = await Promise.all(secrets.map((each) => mac(each, content)));
  const match = expected.findIndex((each) => signature.split(' ').includes(each));
  const steps = [
    ...given,
    { name: 'signed content', value: content },
    { name: 'secret', value: secrets[Math.max(match, 0)] ?? '' },
    { name: 'expected', value: expected.join(' ') },
  ];
  return { steps, ...resultOf(match, followsMachine ? ageOf(attempt, timestamp) : 0) };
}

function resultOf(match: number, age: number): Omit<Checked, 'steps'> {
  if (match < 0) return { good: false, text: 'No secret of the endpoint makes this signature.' };
  if (age > TOLERANCE)
    return { good: false, text: `The signature is right. The timestamp is ${age} seconds old.` };
  if (age < -TOLERANCE)
    return { good: false, text: `The signature is right. The timestamp is ${-age} seconds ahead.` };
  const which = match === 0 ? 'secret' : 'former secret';
  return { good: true, text: `The ${which} of the endpoint makes this signature.` };
}

/**
 * How old the timestamp was, in seconds. The time of the attempt is on the clock of the environment, the timestamp on
 * the clock of the machine. Only a scenario makes a timestamp old.
 */
const ageOf = ({ time, scenario }: Attempt, timestamp: string) =>
  scenario ? Math.round(Date.parse(time) / 1000 - Number(timestamp)) : 0;

async function mac(secret: string, content: string): Promise<string> {
  const bytes = bytesIn(secret.slice(secret.indexOf('_') + 1));
  const key = await subtle!.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return `v1,${base64Of(new Uint8Array(await subtle!.sign('HMAC', key, bytesOf(content))))}`;
}
