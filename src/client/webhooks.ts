import type { EventName } from '../contract/names.gen.ts';
import { DeliveryControl } from './outgoing.ts';
import { Inbox, bodyOf, OPTIONS, type EndpointChange, type NewEndpoint, type Rotation } from './inbox.ts';
import type { Waiting } from './item-list.ts';
import type { UncheckedName } from '../contract/name-patterns.ts';
import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import {
  durationText,
  type CallOptions,
  type TriggeredEvent,
  type WebhookDelivery,
  type WebhookEndpoint,
} from './types.ts';

export interface TriggerOptions {
  /** Without it, the organization of the sample. */
  organizationId?: string;
  data?: Record<string, unknown>;
  /** The event type whose sample data the event has, for a type that the contract lacks. */
  like?: EventName | UncheckedName;
}

const TRIGGER: NamesOf<TriggerOptions> = { organizationId: true, data: true, like: true };

/** The webhook endpoints and deliveries of an environment. */
export class WebhookControl {
  readonly deliveries: DeliveryControl;
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
    this.deliveries = new DeliveryControl(transport);
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

  /**
   * Emits an event with sample data, into which `data` is merged (RFC 7396). No row changes.
   *
   * @example await webhooks.trigger('organization.created', { data: { display_name: 'Acme' } });
   */
  async trigger(
    type: EventName | UncheckedName,
    event: TriggerOptions = {},
    options?: CallOptions,
  ): Promise<TriggeredEvent> {
    checkOptions('webhooks.trigger', event, TRIGGER);
    const { organizationId: organization_id, ...rest } = event;
    const body = { type, ...rest, ...(organization_id !== undefined && { organization_id }) };
    return this.#transport.call('Control_TriggerEvent', { body }, options);
  }

  /** Sends a delivery again at once, with the same `webhook-id`. Resolves when the attempt is finished. */
  redeliver(id: string, waiting?: Waiting): Promise<WebhookDelivery> {
    return this.deliveries.redeliver(id, waiting);
  }
}
