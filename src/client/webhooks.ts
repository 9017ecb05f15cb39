import { Inbox } from './inbox.ts';
import { checkOptions } from './options.ts';
import { WAITING, type Waiting } from './requests.ts';
import { timeoutFor, type Transport } from './transport.ts';
import { written, type CallOptions, type WebhookDelivery, type WebhookEndpoint } from './types.ts';
import {
  bodyOf,
  OPTIONS,
  type DeliveryFilter,
  type EndpointChange,
  type NewEndpoint,
  type Rotation,
} from './webhook-options.ts';

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
  async addEndpoint(
    url: string,
    settings: NewEndpoint = {},
    options?: CallOptions,
  ): Promise<WebhookEndpoint> {
    checkOptions('webhooks.addEndpoint', settings, OPTIONS.newEndpoint);
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
    checkOptions('webhooks.inbox', settings, OPTIONS.newEndpoint);
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
  async updateEndpoint(id: string, change: EndpointChange, options?: CallOptions): Promise<WebhookEndpoint> {
    checkOptions('webhooks.updateEndpoint', change, OPTIONS.endpointChange);
    const given = { path: { id }, body: bodyOf(change) };
    return this.#transport.call('Control_UpdateWebhookEndpoint', given, options);
  }

  /** Takes an endpoint away, and its deliveries. */
  async removeEndpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteWebhookEndpoint', { path: { id } }, options);
  }

  /** Another secret; the old one signs, too, until `overlap` (24h) is over on the clock of the environment. */
  async rotateSecret(id: string, rotation: Rotation = {}, options?: CallOptions): Promise<WebhookEndpoint> {
    checkOptions('webhooks.rotateSecret', rotation, OPTIONS.rotation);
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
    checkOptions('webhooks.deliveries', filter, OPTIONS.deliveries);
    return (await this.#transport.call('Control_ListWebhookDeliveries', { query: filter }, options))
      .deliveries;
  }

  delivery(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#transport.call('Control_GetWebhookDelivery', { path: { id } }, options);
  }

  /**
   * The deliveries that match, as soon as there are `count` of them (1): those that are there, and those that come within
   * `timeout` (4s). Without a `status`, they are done, well or not. Throws a `WaitError`, with what came nearest, when
   * it is up.
   */
  async waitForDeliveries(
    filter: DeliveryFilter & Waiting & { count?: number } = {},
    options?: CallOptions,
  ): Promise<WebhookDelivery[]> {
    checkOptions('webhooks.waitForDeliveries', filter, OPTIONS.waitForDeliveries);
    const { timeout, ...rest } = filter;
    const query = { ...rest, ...(timeout !== undefined && { timeout: written(timeout) }) };
    const milliseconds = timeoutFor(timeout, options);
    return (await this.#transport.call('Control_WaitForWebhookDeliveries', { query }, milliseconds))
      .deliveries;
  }

  /** The latest of them. */
  async waitForDelivery(
    filter: DeliveryFilter & Waiting = {},
    options?: CallOptions,
  ): Promise<WebhookDelivery> {
    checkOptions('webhooks.waitForDelivery', filter, OPTIONS.waitForDelivery);
    return (await this.waitForDeliveries(filter, options)).at(-1)!;
  }

  /** Sends it again, at once and under the same `webhook-id`, and resolves once that is done. */
  async redeliver(id: string, waiting: Waiting = {}, options?: CallOptions): Promise<WebhookDelivery> {
    checkOptions('webhooks.redeliver', waiting, WAITING);
    await this.#transport.call('Control_RedeliverWebhook', { path: { id } }, options);
    return this.waitForDelivery({ id, ...waiting }, options);
  }

  /** Forgets deliveries: all, or those of an endpoint. */
  async clear(filter: Pick<DeliveryFilter, 'endpoint'> = {}, options?: CallOptions): Promise<void> {
    checkOptions('webhooks.clear', filter, OPTIONS.cleared);
    await this.#transport.call('Control_DeleteWebhookDeliveries', { query: filter }, options);
  }
}
