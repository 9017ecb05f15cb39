import type { NamesOf } from './options.ts';
import type { Duration, EventPattern } from './names.ts';

/** Settings of a new endpoint; all are optional. */
export interface NewEndpoint {
  /** Such as `user.login` or `user.*`; every event if omitted. */
  eventTypes?: readonly EventPattern[];
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

const NEW_ENDPOINT: NamesOf<NewEndpoint> = {
  eventTypes: true,
  secret: true,
  description: true,
  enabled: true,
  maxInFlight: true,
};

const { secret: _kept, ...CHANGEABLE } = NEW_ENDPOINT;

/** The options of each call, by name. */
export const OPTIONS = {
  newEndpoint: NEW_ENDPOINT,
  endpointChange: { ...CHANGEABLE, url: true } satisfies NamesOf<EndpointChange>,
  rotation: { secret: true, overlap: true } satisfies NamesOf<Rotation>,
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
