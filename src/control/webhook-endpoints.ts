import type { ControlInput } from '../contract/types.ts';
import { covers } from '../events/filter.ts';
import { EVENT_TYPES } from '../events/types.ts';
import { ApiError, invalidArgument } from '../errors.ts';
import { suggest } from '../scenarios/suggestion.ts';
import { parseDuration } from '../world/duration.ts';
import type { Rows } from '../world/schema.ts';
import type { Tables, World } from '../world/world.ts';
import { absent } from './absent.ts';
import type { ControlContext, ControlOperations } from './handler.ts';

type Endpoint = Rows['webhook_endpoints'];
type Wanted = ControlInput<'Control_CreateWebhookEndpoint'>['body'];

export const webhookEndpoints = {
  Control_ListWebhookEndpoints(_, { environment }) {
    const now = environment.clock.now();
    return { endpoints: environment.tables.webhook_endpoints.list().map((endpoint) => view(endpoint, now)) };
  },

  Control_CreateWebhookEndpoint({ body }, context) {
    const { kind = 'http', url, event_types, description } = body;
    refuseUnreachable(kind, body);
    refuseUnknownTypes(event_types);
    return write(context, (world) =>
      world.webhook_endpoints.insert({
        id: world.draw.id('ep'),
        kind,
        ...(url !== undefined && { url }),
        ...(description !== undefined && { description }),
        ...(event_types && { event_types }),
        secret: body.secret ?? newSecret(world),
        enabled: body.enabled ?? true,
        max_in_flight: body.max_in_flight ?? 1,
        created_at: world.clock.iso(),
        updated_at: world.clock.iso(),
      }),
    );
  },

  Control_GetWebhookEndpoint({ path }, { environment }) {
    return view(endpointOf(environment.tables, path.id), environment.clock.now());
  },

  Control_UpdateWebhookEndpoint({ path, body }, context) {
    const known = endpointOf(context.environment.tables, path.id);
    if (body.url !== undefined) refuseUnreachable(known.kind, body);
    refuseUnknownTypes(body.event_types);
    return write(context, (world) =>
      world.webhook_endpoints.update(path.id, { ...body, updated_at: world.clock.iso() }),
    );
  },

  Control_DeleteWebhookEndpoint({ path }, { environment, baseUrl }) {
    endpointOf(environment.tables, path.id);
    environment.transact({ baseUrl }, (world) => world.remove('webhook_endpoints', path.id));
    return undefined;
  },

  Control_RotateWebhookSecret({ path, body }, context) {
    const { secret, overlap = '24h' } = body ?? {};
    const known = endpointOf(context.environment.tables, path.id);
    if (secret === known.secret)
      throw invalidArgument('secret: it is the present one; leave it out to have one made up');
    return write(context, (world) => {
      const expires_at = world.clock.after(parseDuration(overlap) ?? 0);
      const old_secrets = [{ secret: known.secret, expires_at }, ...(known.old_secrets ?? [])];
      return world.webhook_endpoints.update(path.id, {
        secret: secret ?? newSecret(world),
        old_secrets: stillGood(old_secrets, world.clock.ms),
        updated_at: world.clock.iso(),
      });
    });
  },
} satisfies Partial<ControlOperations>;

/** Throws `not_found`, naming the nearest. */
export function endpointOf({ webhook_endpoints }: Tables, id: string): Endpoint {
  const found = webhook_endpoints.find(id);
  if (found) return found;
  const ids = webhook_endpoints.list().map((endpoint) => endpoint.id);
  throw absent('webhook endpoint', id, ids);
}

function write({ environment, baseUrl }: ControlContext, change: (world: World) => Endpoint): Endpoint {
  const { result } = environment.transact({ baseUrl }, change);
  return view(result, environment.clock.now());
}

/** Of old secrets, those that deliveries are still signed with. */
function view({ old_secrets = [], ...endpoint }: Endpoint, now: number): Endpoint {
  const good = stillGood(old_secrets, now);
  return { ...endpoint, ...(good.length > 0 && { old_secrets: good }) };
}

const stillGood = (secrets: NonNullable<Endpoint['old_secrets']>, now: number) =>
  secrets.filter(({ expires_at }) => Date.parse(expires_at) > now);

/** 24 bytes, as the service's are. */
const newSecret = ({ draw }: World) => `whsec_${draw.text(32)}`;

function refuseUnreachable(kind: Endpoint['kind'], { url }: Pick<Wanted, 'url'>): void {
  if (kind === 'inbox' && url !== undefined)
    throw invalidArgument('url: an inbox has none, for nobody is called; leave it out, or kind');
  if (kind === 'http' && url === undefined)
    throw invalidArgument(
      'url: give an address to call, such as http://localhost:3000/webhooks, or kind: inbox for an endpoint without one',
    );
  if (url !== undefined && !URL.canParse(url)) throw invalidArgument(`url: ${url} is no address`);
}

/** A filter that nothing passes is a slip: nobody would ever be told. */
function refuseUnknownTypes(patterns: readonly string[] = []): void {
  const violations = patterns.flatMap((pattern, index) => {
    if (EVENT_TYPES.some((type) => covers(pattern, type))) return [];
    const description = `no event is of type ${pattern}${suggest(pattern, EVENT_TYPES) || '; all types are in the webhooks of /openapi.json'}`;
    return [{ field: `event_types[${index}]`, description, constraint: 'unknown_event_type' }];
  });
  const [first] = violations;
  if (first) throw new ApiError('invalid_argument', `${first.field}: ${first.description}`, { violations });
}
