import type { Tables } from '../state/env.ts';
import type { Rows } from '../state/schema.ts';
import { invalidArgument } from '../errors.ts';
import { globTest } from '../text/glob.ts';
import { suggest } from '../text/suggestion.ts';
import { attemptCount } from '../webhooks/due-calls.ts';
import { EVENT_TYPES, listensTo } from '../webhooks/events/event.ts';
import { unknownName } from './handler.ts';

type Delivery = Rows['webhook_deliveries'];
type Endpoint = Rows['webhook_endpoints'];

/** Conditions on a delivery; all given ones must hold. */
export interface DeliveryMatch {
  id?: string;
  /** An endpoint's id or address, or a glob over addresses. */
  endpoint?: string;
  /** An event type, or a glob. */
  type?: string;
  status?: Delivery['status'];
  isDone?: boolean;
}

export type Check = (delivery: Delivery) => boolean;

const DONE: readonly string[] = ['SUCCESS', 'FAILED', 'DROPPED'] satisfies Delivery['status'][];

/** Throws `invalid_argument` for an unknown event type and `not_found` for an unknown endpoint. */
export function checksOf({ id, endpoint, type, status, isDone }: DeliveryMatch, tables: Tables): Check[] {
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
export function nearestOf(deliveries: readonly Delivery[], checks: readonly Check[]) {
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
export function whyNone({ type, endpoint }: DeliveryMatch, tables: Tables): string {
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
