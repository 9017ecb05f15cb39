import type { DeliveryControl, DeliveryFilter } from './outgoing.ts';
import { WAITING, type Waiting } from './item-list.ts';
import type { EventPattern, Duration } from '../contract/name-patterns.ts';
import { checkOptions, type NamesOf } from './options.ts';
import type { CallOptions, WebhookDelivery, WebhookEndpoint } from './types.ts';

/** A delivery as a receiver would see it. */
export interface ReceivedWebhook {
  /** The `webhook-id`: the same for every attempt. */
  id: string;
  type: string;
  payload: Record<string, unknown>;
  /** The exact text that was signed. */
  body: string;
  /** `webhook-id`, `webhook-timestamp` and `webhook-signature`, as verifiers take them. */
  headers: Record<string, string>;
  delivery: WebhookDelivery;
}

/** The calls that an inbox makes for its endpoint. */
interface EndpointCalls {
  readonly deliveries: DeliveryControl;
  rotateSecret(id: string, rotation: Rotation, options?: CallOptions): Promise<WebhookEndpoint>;
  removeEndpoint(id: string, options?: CallOptions): Promise<void>;
}

/**
 * An endpoint that stores its deliveries instead of sending them. `next` returns each one once, in order.
 *
 * @example
 * const { headers, body } = await inbox.next('user.login');
 * client.verifyWebhookPayload(inbox.secret, headers, body); // an SDK's own check
 */
export class Inbox {
  readonly #webhooks: EndpointCalls;
  readonly #handedOut = new Set<string>();
  #endpoint: WebhookEndpoint;

  /** @internal */
  constructor(webhooks: EndpointCalls, endpoint: WebhookEndpoint) {
    this.#webhooks = webhooks;
    this.#endpoint = endpoint;
  }

  /** The id of the endpoint. */
  get id(): string {
    return this.#endpoint.id;
  }

  /** The secret that signs deliveries. */
  get secret(): string {
    return this.#endpoint.secret;
  }

  /**
   * Returns the first delivery of the type (or glob of types) that was not returned before; waits up to
   * `timeout` (4s) for one, then throws a `WaitError`.
   */
  async next(type?: EventPattern, waiting: Waiting = {}): Promise<ReceivedWebhook> {
    checkOptions('inbox.next', waiting, WAITING);
    const { deliveries } = this.#webhooks;
    const filter = this.#filter(type);
    for (;;) {
      const known = (await deliveries.list({ ...filter, limit: 1000 }, { signal: waiting.signal })).filter(
        this.#isKnown,
      );
      const found = await deliveries.waitForCount(known.length + 1, filter, waiting);
      const delivery = found.find((each) => !this.#isKnown(each));
      if (!delivery) continue; // Another caller took the delivery at the same time.
      this.#handedOut.add(delivery.id);
      return received(delivery);
    }
  }

  /** Every delivery, oldest first, whether `next` returned it or not. */
  async all(type?: EventPattern, options?: CallOptions): Promise<ReceivedWebhook[]> {
    const filter = { ...this.#filter(type), limit: 1000 };
    return (await this.#webhooks.deliveries.list(filter, options)).map(received);
  }

  /** Deletes the deliveries. */
  async clear(options?: CallOptions): Promise<void> {
    await this.#webhooks.deliveries.clear({ endpoint: this.id }, options);
    this.#handedOut.clear();
  }

  /** Makes a new secret, as `webhooks.rotateSecret` does. */
  async rotateSecret(rotation: Rotation = {}, options?: CallOptions): Promise<string> {
    this.#endpoint = await this.#webhooks.rotateSecret(this.id, rotation, options);
    return this.secret;
  }

  /** Removes the endpoint and its deliveries. */
  async remove(options?: CallOptions): Promise<void> {
    await this.#webhooks.removeEndpoint(this.id, options);
  }

  #filter(type: EventPattern | undefined): DeliveryFilter {
    return { endpoint: this.id, status: 'SUCCESS', ...(type !== undefined && { type }) };
  }

  readonly #isKnown = ({ id }: WebhookDelivery) => this.#handedOut.has(id);
}

function received(delivery: WebhookDelivery): ReceivedWebhook {
  const { id, event_type: type, payload = {}, body = '', attempts } = delivery;
  const { headers = {} } = attempts.at(-1) ?? {};
  return { id, type, payload, body, headers, delivery };
}

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
