import { rowNamed } from '../contract/cause.ts';
import { createHash, createHmac } from 'node:crypto';
import type { Env, Rows } from '../state/env.ts';
import { ApiError, failedPrecondition, invalidArgument } from '../contract/errors.ts';
import { isWebAddress } from '@understudy/text/addresses';
import { suggest } from '@understudy/text/suggestion';
import { attemptCount } from './due-calls.ts';
import { covers, EVENT_TYPES } from './events/event.ts';

export type Endpoint = Rows['webhook_endpoints'];
export type Delivery = Rows['webhook_deliveries'];

type EndpointInput = Partial<
  Pick<Endpoint, 'kind' | 'url' | 'description' | 'event_types' | 'secret' | 'enabled' | 'max_in_flight'>
>;

/** Throws `invalid_argument` if the endpoint could never receive an event. */
export function addEndpoint(env: Env, chosen: EndpointInput): Endpoint {
  const { kind = 'http', url, event_types, description } = chosen;
  checkUrl(kind, url);
  checkEventTypes(event_types);
  return env.webhook_endpoints.insert({
    id: env.draw.id('ep'),
    kind,
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(event_types && { event_types }),
    secret: chosen.secret ?? newSecret(env),
    enabled: chosen.enabled ?? true,
    max_in_flight: chosen.max_in_flight ?? 1,
    created_at: env.clock.iso(),
    updated_at: env.clock.iso(),
  });
}

/** A member that is present and undefined is removed. */
type EndpointUpdate = {
  [K in Exclude<keyof EndpointInput, 'kind' | 'secret'>]?: EndpointInput[K] | undefined;
};

/** Deliveries that are waiting go to the endpoint's new address. */
export function changeEndpoint(env: Env, { id, kind }: Endpoint, change: EndpointUpdate): Endpoint {
  if ('url' in change) checkUrl(kind, change.url);
  checkEventTypes(change.event_types);
  const members = { ...change, updated_at: env.clock.iso() } as Partial<Endpoint>;
  return env.webhook_endpoints.update(id, members);
}

interface SecretRotation {
  /** Generated if absent. */
  secret?: string | undefined;
  /** Milliseconds for which deliveries are signed with the old secret as well; one day if absent. */
  overlap?: number | undefined;
}

const DAY = 86_400_000;

/**
 * Unverified (webhooks/most-old-secrets): the service documents no bound. Each secret adds 48 bytes to the signature
 * header, and receivers in Node refuse headers over 16 KB.
 */
const MAX_OLD_SECRETS = 10;

/**
 * Unverified (webhooks/old-secret-lifetime): Svix, the service's delivery engine, signs with an old secret for a day.
 */
export function rotateSecret(
  env: Env,
  { id, secret: present, old_secrets = [] }: Endpoint,
  { secret, overlap = DAY }: SecretRotation = {},
): Endpoint {
  if (secret === present)
    throw invalidArgument('secret: it is the present secret; leave it out to generate a new one');
  const old = { secret: present, expires_at: env.clock.after(overlap) };
  return env.webhook_endpoints.update(id, {
    secret: secret ?? newSecret(env),
    old_secrets: unexpiredSecrets([old, ...old_secrets], env.clock.ms).slice(0, MAX_OLD_SECRETS),
    updated_at: env.clock.iso(),
  });
}

/** Sends the delivery again at once under the same id, whatever its status is. */
export function redeliver(env: Env, delivery: Delivery): Delivery {
  const { id, endpoint_id } = delivery;
  if (!env.webhook_endpoints.get(endpoint_id).enabled)
    throw failedPrecondition(`webhook endpoint ${endpoint_id} is disabled: enable it first`, {
      rows: [rowNamed('webhook_endpoints', { id: endpoint_id })],
      needs: { enabled: true },
    });
  return env.webhook_deliveries.update(id, {
    status: 'QUEUED',
    next_attempt_at: undefined,
    hold: undefined,
    redelivered: { at: env.clock.iso(), attempts_before: attemptCount(delivery) },
  });
}

function checkUrl(kind: Endpoint['kind'], url: string | undefined): void {
  if (kind === 'inbox' && url !== undefined)
    throw invalidArgument(
      'url: an inbox has no url, because its deliveries are stored; leave out url or kind',
    );
  if (kind === 'http' && url === undefined)
    throw invalidArgument(
      'url: give an address to call, such as http://localhost:3000/webhooks, or kind: inbox for an endpoint without one',
    );
  if (url !== undefined && !isWebAddress(url))
    throw invalidArgument(
      `url: ${url} is not an http or https address, such as http://localhost:3000/webhooks`,
    );
}

/** `organization.created` is of the group `organization.*`. */
const groupsOf = (parts: readonly string[]): string[] =>
  parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`);

const EVENT_GROUPS = [...new Set(EVENT_TYPES.flatMap((type) => groupsOf(type.split('.'))))];

/** A filter that matches no event type is a mistake: the endpoint would never receive an event. */
function checkEventTypes(patterns: readonly string[] = []): void {
  const violations = patterns.flatMap((pattern, index) => {
    if (EVENT_TYPES.some((type) => covers(pattern, type))) return [];
    const names = pattern.endsWith('.*') ? EVENT_GROUPS : EVENT_TYPES;
    const near = suggest(pattern, names) || '; all types are in the webhooks of /openapi.json';
    const description = `no event is of type ${pattern}${near}`;
    return [{ field: `event_types[${index}]`, description, constraint: 'unknown_event_type' }];
  });
  const [first] = violations;
  if (first) throw new ApiError('invalid_argument', `${first.field}: ${first.description}`, { violations });
}

interface MessageToSign {
  /** The same for every attempt. */
  id: string;
  time: number;
  body: string;
}

/**
 * Receivers read one prefix or the other: the Node and Java SDKs expect `interceptor-*` for interceptors, the Go SDK
 * `webhook-*`.
 */
type HeaderSet = 'webhook' | 'interceptor';

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

/** 24 bytes, as in the secrets of the service. */
const newSecret = ({ draw }: Env) => `whsec_${draw.text(32)}`;

/** A secret that no receiver knows, the same for the same text. */
export const unknownSecret = (text: string) => `whsec_${createHash('sha256').update(text).digest('base64')}`;

/** The secrets that sign a delivery, newest first. */
export const secretsOf = ({ secret, old_secrets = [] }: Endpoint, now: number): string[] => [
  secret,
  ...unexpiredSecrets(old_secrets, now).map((old) => old.secret),
];

export const unexpiredSecrets = (secrets: NonNullable<Endpoint['old_secrets']>, now: number) =>
  secrets.filter(({ expires_at }) => Date.parse(expires_at) > now);
