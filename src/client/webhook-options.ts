import type { NamesOf } from './options.ts';
import { WAITING, type Waiting } from './requests.ts';
import type { Duration, WebhookDelivery } from './types.ts';

/** How an endpoint is to be; everything may be left out. */
export interface NewEndpoint {
  /** Such as `user.login` or `user.*`; every event without it. */
  eventTypes?: readonly string[];
  /** `whsec_` and a key in base64; made up without it. */
  secret?: string;
  description?: string;
  enabled?: boolean;
  /** Deliveries under way at once; 1, the default, keeps them in order. */
  maxInFlight?: number;
}

export interface EndpointChange extends Omit<NewEndpoint, 'secret'> {
  url?: string;
}

export interface Rotation {
  /** Made up without it. */
  secret?: string;
  /** How long both are good; 0 takes the old one away at once. */
  overlap?: Duration;
}

/** What is wanted of a delivery; all of it must be so. */
export interface DeliveryFilter {
  /** This one alone. */
  id?: string;
  /** The id of an endpoint, its address, or a glob such as `http://localhost:3000/*`. */
  endpoint?: string;
  /** A type of event, or a glob such as `user.*`. */
  type?: string;
  status?: WebhookDelivery['status'];
  /** The id of a delivery: later ones only. */
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

/** The options of each call. */
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

/** As the wire has it. */
export function bodyOf<T extends Pick<NewEndpoint, 'eventTypes' | 'maxInFlight'>>(settings: T) {
  const { eventTypes, maxInFlight, ...rest } = settings;
  return {
    ...rest,
    ...(eventTypes && { event_types: [...eventTypes] }),
    ...(maxInFlight !== undefined && { max_in_flight: maxInFlight }),
  };
}
