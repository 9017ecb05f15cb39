import { Inbox } from './inbox.ts';
import { patienceFor, type Transport } from './transport.ts';
import type { Waiting } from './requests.ts';
import {
  written,
  type CallOptions,
  type Duration,
  type WebhookDelivery,
  type WebhookEndpoint,
} from './types.ts';

/** What the service sends: endpoints, and events on their way to them. */
export class WebhookControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Has events sent to an address from now on. Its `secret` is what the receiver checks signatures with.
   *
   * @example const { secret } = await webhooks.addEndpoint('http://localhost:3000/webhooks', { eventTypes: ['user.*'] });
   */
  addEndpoint(url: string, settings: NewEndpoint = {}, options?: CallOptions): Promise<WebhookEndpoint> {
    const body = { url, ...bodyOf(settings) };
    return this.#transport.call('Control_CreateWebhookEndpoint', { body }, options);
  }

  /**
   * Has events kept to be looked at from now on: a test needs no server of its own.
   *
   * @example
   * const inbox = await webhooks.inbox({ eventTypes: ['user.*'] });
   * // …what makes it happen
   * const { payload } = await inbox.next('user.login');
   */
  async inbox(settings: NewEndpoint = {}, options?: CallOptions): Promise<Inbox> {
    const body = { kind: 'inbox' as const, ...bodyOf(settings) };
    const endpoint = await this.#transport.call('Control_CreateWebhookEndpoint', { body }, options);
    return new Inbox(this, endpoint);
  }

  /** Oldest first. */
  async endpoints(options?: CallOptions): Promise<WebhookEndpoint[]> {
    return (await this.#transport.call('Control_ListWebhookEndpoints', {}, options)).endpoints;
  }

  endpoint(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#transport.call('Control_GetWebhookEndpoint', { path: { id } }, options);
  }

  /** Changes what is given; `eventTypes: ['*']` lets every event through again. */
  updateEndpoint(id: string, change: EndpointChange, options?: CallOptions): Promise<WebhookEndpoint> {
    const given = { path: { id }, body: bodyOf(change) };
    return this.#transport.call('Control_UpdateWebhookEndpoint', given, options);
  }

  /** Takes an endpoint away, and its deliveries. */
  async removeEndpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteWebhookEndpoint', { path: { id } }, options);
  }

  /** Another secret; the old one signs, too, until `overlap` (24h) is over on the clock of the environment. */
  rotateSecret(id: string, rotation: Rotation = {}, options?: CallOptions): Promise<WebhookEndpoint> {
    const { secret, overlap } = rotation;
    const body = {
      ...(secret !== undefined && { secret }),
      ...(overlap !== undefined && { overlap: written(overlap) }),
    };
    return this.#transport.call('Control_RotateWebhookSecret', { path: { id }, body }, options);
  }

  /** Oldest first. */
  async deliveries(
    filter: DeliveryFilter & { limit?: number } = {},
    options?: CallOptions,
  ): Promise<WebhookDelivery[]> {
    return (await this.#transport.call('Control_ListWebhookDeliveries', { query: filter }, options))
      .deliveries;
  }

  delivery(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#transport.call('Control_GetWebhookDelivery', { path: { id } }, options);
  }

  /**
   * The deliveries that match, as soon as there are `count` of them (1): those that are there, and those that come within
   * `timeout` (5s). Without a `status`, they are done, well or not. Throws a `WaitError`, with what came nearest, when
   * it is up.
   */
  async waitForDeliveries(
    filter: DeliveryFilter & Waiting & { count?: number } = {},
    options?: CallOptions,
  ): Promise<WebhookDelivery[]> {
    const { timeout, ...rest } = filter;
    const query = { ...rest, ...(timeout !== undefined && { timeout: written(timeout) }) };
    const patience = patienceFor(timeout, options);
    return (await this.#transport.call('Control_WaitForWebhookDeliveries', { query }, patience)).deliveries;
  }

  /** The latest of them. */
  async waitForDelivery(
    filter: DeliveryFilter & Waiting = {},
    options?: CallOptions,
  ): Promise<WebhookDelivery> {
    return (await this.waitForDeliveries(filter, options)).at(-1)!;
  }

  /** Sends it again, at once and under the same `webhook-id`, and resolves once that is done. */
  async redeliver(id: string, { timeout }: Waiting = {}, options?: CallOptions): Promise<WebhookDelivery> {
    await this.#transport.call('Control_RedeliverWebhook', { path: { id } }, options);
    return this.waitForDelivery({ id, ...(timeout !== undefined && { timeout }) }, options);
  }

  /** Forgets deliveries: all, or those of an endpoint. */
  async clear({ endpoint }: Pick<DeliveryFilter, 'endpoint'> = {}, options?: CallOptions): Promise<void> {
    const query = endpoint === undefined ? {} : { endpoint };
    await this.#transport.call('Control_DeleteWebhookDeliveries', { query }, options);
  }
}

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

/** As the wire has it. */
function bodyOf<T extends Pick<NewEndpoint, 'eventTypes' | 'maxInFlight'>>(settings: T) {
  const { eventTypes, maxInFlight, ...rest } = settings;
  return {
    ...rest,
    ...(eventTypes && { event_types: [...eventTypes] }),
    ...(maxInFlight !== undefined && { max_in_flight: maxInFlight }),
  };
}
