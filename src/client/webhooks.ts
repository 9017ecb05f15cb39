import { Inbox } from './inbox.ts';
import { checkOptions } from './options.ts';
import { WAITING, type Waiting } from './requests.ts';
import { timeoutFor, type Transport } from './transport.ts';
import { durationText, type CallOptions, type WebhookDelivery, type WebhookEndpoint } from './types.ts';
import {
  bodyOf,
  OPTIONS,
  type DeliveryFilter,
  type EndpointChange,
  type NewEndpoint,
  type Rotation,
} from './webhook-options.ts';

/** The webhook endpoints and deliveries of an environment. */
export class WebhookControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends new events to an address. The receiver checks signatures with the endpoint's `secret`.
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
   * Creates an endpoint that stores new events, so that a test needs no server.
   *
   * @example
   * const inbox = await webhooks.inbox({ eventTypes: ['user.*'] });
   * // …sign a user in
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

  /** Changes the given settings; `eventTypes: ['*']` removes the filter. */
  async updateEndpoint(id: string, change: EndpointChange, options?: CallOptions): Promise<WebhookEndpoint> {
    checkOptions('webhooks.updateEndpoint', change, OPTIONS.endpointChange);
    const given = { path: { id }, body: bodyOf(change) };
    return this.#transport.call('Control_UpdateWebhookEndpoint', given, options);
  }

  /** Removes an endpoint and its deliveries. */
  async removeEndpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteWebhookEndpoint', { path: { id } }, options);
  }

  /**
   * Makes a new secret. The old one also signs until `overlap` (24h) has passed on the environment's clock.
   */
  async rotateSecret(id: string, rotation: Rotation = {}, options?: CallOptions): Promise<WebhookEndpoint> {
    checkOptions('webhooks.rotateSecret', rotation, OPTIONS.rotation);
    const { secret, overlap } = rotation;
    const body = {
      ...(secret !== undefined && { secret }),
      ...(overlap !== undefined && { overlap: durationText(overlap) }),
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
   * Waits up to `timeout` (4s) until `count` (1) deliveries match, including existing ones, and returns them.
   * Without a `status` only finished deliveries match. Then throws a `WaitError` with the nearest ones.
   */
  async waitForDeliveries(
    filter: DeliveryFilter & Waiting & { count?: number } = {},
    options?: CallOptions,
  ): Promise<WebhookDelivery[]> {
    checkOptions('webhooks.waitForDeliveries', filter, OPTIONS.waitForDeliveries);
    const { timeout, ...rest } = filter;
    const query = { ...rest, ...(timeout !== undefined && { timeout: durationText(timeout) }) };
    const milliseconds = timeoutFor(timeout, options);
    return (await this.#transport.call('Control_WaitForWebhookDeliveries', { query }, milliseconds))
      .deliveries;
  }

  /** The latest of these deliveries. */
  async waitForDelivery(
    filter: DeliveryFilter & Waiting = {},
    options?: CallOptions,
  ): Promise<WebhookDelivery> {
    checkOptions('webhooks.waitForDelivery', filter, OPTIONS.waitForDelivery);
    return (await this.waitForDeliveries(filter, options)).at(-1)!;
  }

  /** Sends a delivery again at once, with the same `webhook-id`. Resolves when the attempt is finished. */
  async redeliver(id: string, waiting: Waiting = {}, options?: CallOptions): Promise<WebhookDelivery> {
    checkOptions('webhooks.redeliver', waiting, WAITING);
    await this.#transport.call('Control_RedeliverWebhook', { path: { id } }, options);
    return this.waitForDelivery({ id, ...waiting }, options);
  }

  /** Deletes deliveries: all, or those of one endpoint. */
  async clear(filter: Pick<DeliveryFilter, 'endpoint'> = {}, options?: CallOptions): Promise<void> {
    checkOptions('webhooks.clear', filter, OPTIONS.cleared);
    await this.#transport.call('Control_DeleteWebhookDeliveries', { query: filter }, options);
  }
}
