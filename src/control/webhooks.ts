import type { Contract } from '../contract/contract.ts';
import type { ControlOutput, EventType } from '../contract/types.ts';
import type { Tables, Env, Rows } from '../state/env.ts';
import { invalidArgument } from '../contract/errors.ts';
import { sampleEvent } from '../operations/events.ts';
import { unknownMembers } from '../scenarios/breaches.ts';
import { formatPath } from '../scenarios/path.ts';
import { parseDuration, DEFAULT_WAIT } from '@understudy/text/duration';
import { mergePatch } from '@understudy/text/json';
import { suggest, suggestAmong } from '@understudy/text/suggestion';
import {
  addEndpoint,
  changeEndpoint,
  rotateSecret,
  redeliver,
  type Endpoint,
  unexpiredSecrets,
} from '../webhooks/endpoints.ts';
import {
  recordEvent,
  type NewEvent,
  isEventType,
  EVENT_TYPES,
  sentPayload,
  payloadOf,
  listensTo,
} from '../webhooks/events/event.ts';
import { unknownName, EvidenceError, type ControlContext, type ControlOperations } from './handler.ts';
import { ItemList } from './item-list.ts';
import { globTest } from '@understudy/text/glob';
import { attemptCount } from '../webhooks/due-calls.ts';

export const webhookEndpoints = {
  Control_ListWebhookEndpoints(_, { environment }) {
    const now = environment.clock.now();
    return {
      endpoints: environment.tables.webhook_endpoints.list().map((endpoint) => endpointView(endpoint, now)),
    };
  },

  Control_CreateWebhookEndpoint({ body }, context) {
    return write(context, (env) => addEndpoint(env, body));
  },

  Control_GetWebhookEndpoint({ path }, { environment }) {
    return endpointView(endpointOf(environment.tables, path.id), environment.clock.now());
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
export function readOverlap(text: string): number | undefined {
  const overlap = parseDuration(text);
  if ((overlap ?? 0) > CENTURY) throw invalidArgument(`overlap: ${text} is too long: at most 36500d`);
  return overlap;
}

/** Throws `not_found` with the most similar id. */
function endpointOf({ webhook_endpoints }: Tables, id: string): Endpoint {
  const found = webhook_endpoints.find(id);
  if (found) return found;
  const ids = webhook_endpoints.list().map((endpoint) => endpoint.id);
  throw unknownName('webhook endpoint', id, ids);
}

function write({ environment, baseUrl }: ControlContext, change: (env: Env) => Endpoint): Endpoint {
  const { result } = environment.transact({ baseUrl }, change);
  return endpointView(result, environment.clock.now());
}

/** Old secrets are shown only while they still sign deliveries. */
function endpointView({ old_secrets = [], ...endpoint }: Endpoint, now: number): Endpoint {
  const good = unexpiredSecrets(old_secrets, now);
  return { ...endpoint, ...(good.length > 0 && { old_secrets: good }) };
}

type Delivery = Rows['webhook_deliveries'];
type View = ControlOutput<'Control_GetWebhookDelivery'>;

const DELIVERIES = new ItemList<Delivery>({
  noun: 'webhook delivery',
  source: ({ tables }) => tables.webhook_deliveries,
  changedIn: (activity) => (activity.kind === 'webhook' ? [activity.delivery] : []),
  part: 'webhooks',
});

export const webhookDeliveries = {
  Control_ListWebhookDeliveries({ query }, { environment }) {
    const { since, limit = 100, ...match } = query;
    const isWanted = testOf(checksOf(match, environment.tables));
    const found = DELIVERIES.list(environment, { isWanted, since, limit });
    return { deliveries: found.map((delivery) => deliveryView(environment.tables, delivery)) };
  },

  async Control_WaitForWebhookDeliveries({ query }, context) {
    const { since, count = 1, timeout, ...match } = query;
    const { environment } = context;
    const checks = checksOf({ ...match, isDone: match.status === undefined }, environment.tables);
    const found = await DELIVERIES.wait(context, { isWanted: testOf(checks), since, count, timeout });
    const deliveries = found.map((delivery) => deliveryView(environment.tables, delivery));
    if (deliveries.length >= count) return { deliveries };
    const others = DELIVERIES.after(environment, since);
    const reason = found.length > 0 ? '' : whyNone(match, environment.tables);
    const message = `after ${timeout ?? DEFAULT_WAIT}, ${found.length} of ${count} deliveries had come${reason}`;
    throw new EvidenceError('deadline_exceeded', message, { deliveries, others: nearestOf(others, checks) });
  },

  Control_GetWebhookDelivery({ path }, { environment }) {
    return deliveryView(environment.tables, DELIVERIES.get(environment, path.id));
  },

  Control_RedeliverWebhook({ path }, { environment, baseUrl }) {
    const delivery = DELIVERIES.get(environment, path.id);
    const { result } = environment.transact({ baseUrl }, (env) => redeliver(env, delivery));
    return deliveryView(environment.tables, result);
  },

  Control_DeleteWebhookDeliveries({ query }, { environment, baseUrl }) {
    const gone = DELIVERIES.list(environment, { isWanted: testOf(checksOf(query, environment.tables)) });
    environment.transact({ baseUrl }, (env) => {
      for (const { id } of gone) env.remove('webhook_deliveries', id);
    });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

const testOf = (checks: readonly Check[]) => (delivery: Delivery) => checks.every((check) => check(delivery));

/** The event may have been dropped; then the payload is no longer known. */
function deliveryView(tables: Tables, delivery: Delivery): View {
  const { url } = tables.webhook_endpoints.find(delivery.endpoint_id) ?? {};
  const payload = sentPayload(tables, delivery) as View['payload'];
  return {
    ...delivery,
    ...(url !== undefined && { url }),
    ...(payload && { payload, body: JSON.stringify(payload) }),
  };
}

/** Throws `invalid_argument` for the first member that breaks the contract of the event. */
function refuseBroken(type: string, payload: unknown, contract: Contract): void {
  const [complaint] = contract.messageComplaints(type, payload);
  if (!complaint) return;
  const { schema = {} } = contract.message(type)?.requestBody?.content['application/json'] ?? {};
  const [unknown] = unknownMembers(payload, schema, contract);
  if (unknown) {
    const name = String(unknown.path.at(-1));
    throw invalidArgument(
      `${formatPath(unknown.path)}: ${type} has no such member${suggestAmong(name, unknown.known)}`,
    );
  }
  const place = complaint.path.replace('/body/', '').replaceAll('/', '.');
  throw invalidArgument(`${place}: ${complaint.message}`);
}

const ALL_TYPES = '; all types are in the webhooks of /openapi.json';
const OTHER_TYPES = '. For a type that the contract lacks, give the type whose sample data it has in like';

/** The type whose sample data the event has. Throws `invalid_argument` if the contract lacks it. */
function sampleType(type: string, like: string | undefined): EventType {
  const [field, wanted] = like === undefined ? ['type', type] : ['like', like];
  if (isEventType(wanted)) return wanted;
  const near = suggest(wanted, EVENT_TYPES) || ALL_TYPES;
  throw invalidArgument(
    `${field}: there is no event type ${wanted}${near}${like === undefined ? OTHER_TYPES : ''}`,
  );
}

export const webhookEvents = {
  Control_TriggerEvent({ body }, { environment, baseUrl, simulator: { contract } }) {
    const { type, like, organization_id, data } = body;
    const known = sampleType(type, like);
    const { result } = environment.transact({ baseUrl }, (env) => {
      const { environment_id } = env.settings.get('settings');
      const sample = sampleEvent(known, env.clock.iso(), environment_id);
      const event = {
        ...sample,
        ...(organization_id !== undefined && { organization_id }),
        data: mergePatch(sample.data, data ?? {}),
      } as NewEvent;
      const payload = payloadOf(env, recordEvent(env, event, type));
      refuseBroken(type, payload, contract);
      return payload;
    });
    return result;
  },
} satisfies Partial<ControlOperations>;

/** Conditions on a delivery; all given ones must hold. */
interface DeliveryMatch {
  id?: string;
  /** An endpoint's id or address, or a glob over addresses. */
  endpoint?: string;
  /** An event type, or a glob. */
  type?: string;
  status?: Delivery['status'];
  isDone?: boolean;
}

type Check = (delivery: Delivery) => boolean;

const DONE: readonly string[] = ['SUCCESS', 'FAILED', 'DROPPED'] satisfies Delivery['status'][];

/** Throws `invalid_argument` for an unknown event type and `not_found` for an unknown endpoint. */
function checksOf({ id, endpoint, type, status, isDone }: DeliveryMatch, tables: Tables): Check[] {
  const endpoints = endpoint === undefined ? undefined : endpointsNamed(endpoint, tables);
  const isOfType = type === undefined ? undefined : typeTest(type, tables);
  return [
    ...(id === undefined ? [] : [(delivery: Delivery) => delivery.id === id]),
    ...(isOfType ? [({ event_type }: Delivery) => isOfType(event_type)] : []),
    ...(endpoints ? [({ endpoint_id }: Delivery) => endpoints.has(endpoint_id)] : []),
    ...(status === undefined ? [] : [(delivery: Delivery) => delivery.status === status]),
    ...(isDone ? [(delivery: Delivery) => DONE.includes(delivery.status)] : []),
  ];
}

function endpointsNamed(wanted: string, { webhook_endpoints }: Tables): ReadonlySet<string> {
  const all = webhook_endpoints.list();
  const glob = globTest(wanted);
  const named = all.filter(({ id, url }) => id === wanted || (url !== undefined && glob(url)));
  if (named.length > 0) return new Set(named.map(({ id }) => id));
  throw unknownName(
    'webhook endpoint',
    wanted,
    all.map(({ id, url }) => (wanted.startsWith('ep_') ? id : (url ?? id))),
  );
}

/** Types that the contract lacks are known once such an event was emitted. */
function typeTest(wanted: string, { events }: Tables): (type: string) => boolean {
  const glob = globTest(wanted);
  if (EVENT_TYPES.some(glob) || events.list().some(({ type }) => glob(type))) return glob;
  const hint = suggest(wanted, EVENT_TYPES) || '; all types are in the webhooks of /openapi.json';
  throw invalidArgument(`type: there is no event type ${wanted}${hint}`);
}

const MOST_SHOWN = 5;

/** The deliveries that fail the fewest checks, the latest first. */
function nearestOf(deliveries: readonly Delivery[], checks: readonly Check[]) {
  return deliveries
    .map((delivery) => ({ delivery, failed: checks.filter((check) => !check(delivery)).length }))
    .filter(({ failed }) => failed > 0)
    .toReversed()
    .toSorted((a, b) => a.failed - b.failed)
    .slice(0, MOST_SHOWN)
    .map(({ delivery }) => summary(delivery));
}

function summary(delivery: Delivery) {
  const { id, endpoint_id, event_type, status } = delivery;
  const { status: answered, error } = delivery.attempts.at(-1) ?? {};
  const latest = error ?? (answered === undefined ? undefined : `answered ${answered}`);
  return {
    id,
    endpoint_id,
    event_type,
    status,
    attempts: attemptCount(delivery),
    ...(latest !== undefined && { latest }),
  };
}

function typesNamed(wanted = '*'): readonly string[] {
  const named = EVENT_TYPES.filter(globTest(wanted));
  return named.length > 0 ? named : [wanted];
}

/** Says why no delivery could match, if that is so. */
function whyNone({ type, endpoint }: DeliveryMatch, tables: Tables): string {
  const all = tables.webhook_endpoints.list();
  if (all.length === 0)
    return '; there is no webhook endpoint: POST /_control/v1/webhooks/endpoints makes one';
  const named = endpoint === undefined ? undefined : endpointsNamed(endpoint, tables);
  const asked = all.filter(({ id }) => named?.has(id) ?? true);
  const isHeard = (one: Endpoint) => typesNamed(type).some((each) => listensTo(one, each));
  if (asked.some(isHeard)) return '';
  const [first] = asked;
  if (first && asked.every(({ enabled }) => !enabled)) return `; webhook endpoint ${first.id} is disabled`;
  return `; no webhook endpoint listens to ${type ?? 'anything'}`;
}
