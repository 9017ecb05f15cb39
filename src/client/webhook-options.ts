import type { NamesOf } from './options.ts';
import { WAITING, type Waiting } from './requests.ts';
import type { Duration, WebhookDelivery } from './types.ts';

/** Settings of a new endpoint; all are optional. */
export interface NewEndpoint {
  /** Such as `user.login` or `user.*`; every event if omitted. */
  eventTypes?: readonly string[];
  /** `whsec_` and a key in base64; random if omitted. */
  secret?: string;
  description?: string;
  enabled?: boolean;
  /** Concurrent deliveries; the default 1 keeps them in order. */
  maxInFlight?: number;
}

export interface EndpointChange extends Omit<NewEndpoint, 'secret'> {
  url?: string;
}

export interface Rotation {
  /** Random if omitted. */
  secret?: string;
  /** How long both secrets are valid; 0 ends the old one at once. */
  overlap?: Duration;
}

/** Conditions on a delivery; all must hold. */
export interface DeliveryFilter {
  /** The id of the delivery. */
  id?: string;
  /** The id of an endpoint, its address, or a glob such as `http://localhost:3000/*`. */
  endpoint?: string;
  /** An event type, or a glob such as `user.*`. */
  type?: string;
  status?: WebhookDelivery['status'];
  /** Only deliveries after the one with this id. */
  since?: string;
}

const NEW_ENDPOINT: NamesOf<NewEndpoint> = {
  eventTypes: true,
  secret: true,
  description: true,
  enabled: true,
  maxInFlight: true,
};

const { secret: _kept, ...CHANGEABLE } = NEW_ENDPOINT;

const FILTER: NamesOf<DeliveryFilter> = { id: true, endpoint: true, type: true, status: true, since: true };

/** The options of each call, by name. */
export const OPTIONS = {
  newEndpoint: NEW_ENDPOINT,
  endpointChange: { ...CHANGEABLE, url: true } satisfies NamesOf<EndpointChange>,
  rotation: { secret: true, overlap: true } satisfies NamesOf<Rotation>,
  deliveries: { ...FILTER, limit: true } satisfies NamesOf<DeliveryFilter & { limit?: number }>,
  waitForDelivery: { ...FILTER, ...WAITING } satisfies NamesOf<DeliveryFilter & Waiting>,
  waitForDeliveries: { ...FILTER, ...WAITING, count: true } satisfies NamesOf<
    DeliveryFilter & Waiting & { count?: number }
  >,
  cleared: { endpoint: true } satisfies NamesOf<Pick<DeliveryFilter, 'endpoint'>>,
};

/** Renames the settings to their wire names. */
export function bodyOf<T extends Pick<NewEndpoint, 'eventTypes' | 'maxInFlight'>>(settings: T) {
  const { eventTypes, maxInFlight, ...rest } = settings;
  return {
    ...rest,
    ...(eventTypes && { event_types: [...eventTypes] }),
    ...(maxInFlight !== undefined && { max_in_flight: maxInFlight }),
  };
}
