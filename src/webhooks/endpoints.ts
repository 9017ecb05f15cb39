import type { Env } from '../environment/env.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { ApiError, failedPrecondition, invalidArgument } from '../errors.ts';
import { isWebAddress } from '../text/addresses.ts';
import { suggest } from '../text/suggestion.ts';
import { covers, EVENT_TYPES } from './events/types.ts';

export type Endpoint = Rows['webhook_endpoints'];
export type Delivery = Rows['webhook_deliveries'];

/** All of an endpoint that somebody may choose. */
type Chosen = Partial<
  Pick<Endpoint, 'kind' | 'url' | 'description' | 'event_types' | 'secret' | 'enabled' | 'max_in_flight'>
>;

/** From now on events are sent there. Throws `invalid_argument` for an endpoint that could never hear of one. */
export function addEndpoint(env: Env, chosen: Chosen): Endpoint {
  const { kind = 'http', url, event_types, description } = chosen;
  refuseUnreachable(kind, url);
  refuseUnknownTypes(event_types);
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

/** What a change may set; a member that is there and undefined is taken away. */
type Change = { [K in Exclude<keyof Chosen, 'kind' | 'secret'>]?: Chosen[K] | undefined };

/** What is waiting is sent to where the endpoint then is. */
export function changeEndpoint(env: Env, { id, kind }: Endpoint, change: Change): Endpoint {
  if ('url' in change) refuseUnreachable(kind, change.url);
  refuseUnknownTypes(change.event_types);
  const members = { ...change, updated_at: env.clock.iso() } as Partial<Endpoint>;
  return env.webhook_endpoints.update(id, members);
}

interface Rotation {
  /** Made up without it. */
  secret?: string | undefined;
  /** Milliseconds for which the old one is signed with, too. */
  overlap?: number | undefined;
}

const DAY = 86_400_000;

/** Unverified: the service's delivery engine signs with an old secret for a day. */
export function rotateSecret(
  env: Env,
  { id, secret: present, old_secrets = [] }: Endpoint,
  { secret, overlap = DAY }: Rotation = {},
): Endpoint {
  if (secret === present)
    throw invalidArgument('secret: it is the present one; leave it out to have one made up');
  const old = { secret: present, expires_at: env.clock.after(overlap) };
  return env.webhook_endpoints.update(id, {
    secret: secret ?? newSecret(env),
    old_secrets: stillGood([old, ...old_secrets], env.clock.ms),
    updated_at: env.clock.iso(),
  });
}

/** Sends it once more, at once and under the same id, whatever became of it. */
export function redeliver(env: Env, { id, endpoint_id, attempts }: Delivery): Delivery {
  if (!env.webhook_endpoints.get(endpoint_id).enabled)
    throw failedPrecondition(`webhook endpoint ${endpoint_id} is disabled: enable it first`);
  return env.webhook_deliveries.update(id, {
    status: 'QUEUED',
    next_attempt_at: undefined,
    hold: undefined,
    redelivered: { at: env.clock.iso(), attempts_before: attempts.length },
  });
}

/** Old secrets that deliveries are still signed with. */
export const stillGood = (secrets: NonNullable<Endpoint['old_secrets']>, now: number) =>
  secrets.filter(({ expires_at }) => Date.parse(expires_at) > now);

/** 24 bytes, as the service's are. */
const newSecret = ({ draw }: Env) => `whsec_${draw.text(32)}`;

function refuseUnreachable(kind: Endpoint['kind'], url: string | undefined): void {
  if (kind === 'inbox' && url !== undefined)
    throw invalidArgument('url: an inbox has none, for nobody is called; leave it out, or kind');
  if (kind === 'http' && url === undefined)
    throw invalidArgument(
      'url: give an address to call, such as http://localhost:3000/webhooks, or kind: inbox for an endpoint without one',
    );
  if (url !== undefined && !isWebAddress(url))
    throw invalidArgument(`url: ${url} is no http or https address, such as http://localhost:3000/webhooks`);
}

/** A filter that nothing passes is a slip: nobody would ever be told. */
function refuseUnknownTypes(patterns: readonly string[] = []): void {
  const violations = patterns.flatMap((pattern, index) => {
    if (EVENT_TYPES.some((type) => covers(pattern, type))) return [];
    const near = suggest(pattern, EVENT_TYPES) || '; all types are in the webhooks of /openapi.json';
    const description = `no event is of type ${pattern}${near}`;
    return [{ field: `event_types[${index}]`, description, constraint: 'unknown_event_type' }];
  });
  const [first] = violations;
  if (first) throw new ApiError('invalid_argument', `${first.field}: ${first.description}`, { violations });
}
