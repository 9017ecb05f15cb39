import { DeliveryControl, type DeliveryFilter, WAITING, type Waiting } from './item-lists.ts';
import type { EventPattern, Duration, UncheckedName } from '@understudy/core/contract/name-patterns';
import { checkOptions, checkText, type NamesOf, type Transport } from './transport.ts';
import {
  type CallOptions,
  type WebhookDelivery,
  type WebhookEndpoint,
  durationText,
  type TriggeredEvent,
} from './types.ts';
import type { EventName } from '@understudy/core/contract/names.gen';

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
    return { endpoint: this.id, status: 'SUCCESS', type };
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
  eventTypes?: readonly EventPattern[] | undefined;
  /** `whsec_` and a key in base64; random if omitted. */
  secret?: string | undefined;
  description?: string | undefined;
  enabled?: boolean | undefined;
  /** Concurrent deliveries; the default 1 keeps them in order. */
  maxInFlight?: number | undefined;
}

export interface EndpointChange extends Omit<NewEndpoint, 'secret'> {
  url?: string | undefined;
}

export interface Rotation {
  /** Random if omitted. */
  secret?: string | undefined;
  /** How long both secrets are valid; 0 ends the old one at once. */
  overlap?: Duration | undefined;
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
const OPTIONS = {
  newEndpoint: NEW_ENDPOINT,
  endpointChange: { ...CHANGEABLE, url: true } satisfies NamesOf<EndpointChange>,
  rotation: { secret: true, overlap: true } satisfies NamesOf<Rotation>,
};

/** Renames the settings to their wire names. */
function bodyOf<T extends Pick<NewEndpoint, 'eventTypes' | 'maxInFlight'>>(settings: T) {
  const { eventTypes, maxInFlight: max_in_flight, ...rest } = settings;
  return { ...rest, event_types: eventTypes && [...eventTypes], max_in_flight };
}

export interface TriggerOptions {
  /** Without it, the organization of the sample. */
  organizationId?: string | undefined;
  data?: Record<string, unknown> | undefined;
  /** The event type whose sample data the event has, for a type that the contract lacks. */
  like?: EventName | UncheckedName | undefined;
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
    checkText('webhooks.addEndpoint(url, settings)', 'url', url);
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
    const body = { secret, overlap: overlap === undefined ? undefined : durationText(overlap) };
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
    checkText('webhooks.trigger(type, options)', 'type', type);
    checkOptions('webhooks.trigger', event, TRIGGER);
    const { organizationId: organization_id, ...rest } = event;
    const body = { type, ...rest, organization_id };
    return this.#transport.call('Control_TriggerEvent', { body }, options);
  }

  /** Sends a delivery again at once, with the same `webhook-id`. Resolves when the attempt is finished. */
  redeliver(id: string, waiting?: Waiting): Promise<WebhookDelivery> {
    return this.deliveries.redeliver(id, waiting);
  }
}
