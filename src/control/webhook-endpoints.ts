import type { Tables, Env } from '../environment/env.ts';
import { invalidArgument } from '../errors.ts';
import { parseDuration } from '../text/duration.ts';
import {
  addEndpoint,
  changeEndpoint,
  rotateSecret,
  unexpiredSecrets,
  type Endpoint,
} from '../webhooks/endpoints.ts';
import { unknownName, type ControlContext, type ControlOperations } from './handler.ts';

export const webhookEndpoints = {
  Control_ListWebhookEndpoints(_, { environment }) {
    const now = environment.clock.now();
    return { endpoints: environment.tables.webhook_endpoints.list().map((endpoint) => view(endpoint, now)) };
  },

  Control_CreateWebhookEndpoint({ body }, context) {
    return write(context, (env) => addEndpoint(env, body));
  },

  Control_GetWebhookEndpoint({ path }, { environment }) {
    return view(endpointOf(environment.tables, path.id), environment.clock.now());
  },

  Control_UpdateWebhookEndpoint({ path, body }, context) {
    return write(context, (env) => changeEndpoint(env, endpointOf(env, path.id), body));
  },

  Control_DeleteWebhookEndpoint({ path }, { environment, baseUrl }) {
    environment.transact({ baseUrl }, (env) => {
      env.remove('webhook_endpoints', endpointOf(env, path.id).id);
    });
    return undefined;
  },

  Control_RotateWebhookSecret({ path, body }, context) {
    const { secret, overlap } = body ?? {};
    const rotation = { secret, overlap: overlap === undefined ? undefined : readOverlap(overlap) };
    return write(context, (env) => rotateSecret(env, endpointOf(env, path.id), rotation));
  },
} satisfies Partial<ControlOperations>;

const CENTURY = 36_500 * 86_400_000;

/** Times after the year 9999 cannot be written. */
function readOverlap(text: string): number | undefined {
  const overlap = parseDuration(text);
  if ((overlap ?? 0) > CENTURY)
    throw invalidArgument(`overlap: ${text} is too long: an old secret is valid for at most 36500d`);
  return overlap;
}

/** Throws `not_found` with the most similar id. */
export function endpointOf({ webhook_endpoints }: Tables, id: string): Endpoint {
  const found = webhook_endpoints.find(id);
  if (found) return found;
  const ids = webhook_endpoints.list().map((endpoint) => endpoint.id);
  throw unknownName('webhook endpoint', id, ids);
}

function write({ environment, baseUrl }: ControlContext, change: (env: Env) => Endpoint): Endpoint {
  const { result } = environment.transact({ baseUrl }, change);
  return view(result, environment.clock.now());
}

/** Old secrets are shown only while they still sign deliveries. */
function view({ old_secrets = [], ...endpoint }: Endpoint, now: number): Endpoint {
  const good = unexpiredSecrets(old_secrets, now);
  return { ...endpoint, ...(good.length > 0 && { old_secrets: good }) };
}
