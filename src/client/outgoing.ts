import { ItemList, CountedItemList, type Waiting, WAITING } from './item-list.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, OutgoingCall, Mail, WebhookDelivery } from './types.ts';
import type { EventPattern } from '../contract/name-patterns.ts';
import { checkOptions, type NamesOf } from './options.ts';

export interface OutgoingFilter {
  kind?: OutgoingCall['kind'];
  /** Without a status, `wait` takes only calls that were made. */
  status?: OutgoingCall['status'];
  /** An address, or a glob such as `https://app.example/*`. */
  url?: string;
}

/** Calls that the service makes by itself, such as back-channel logouts. */
export class OutgoingControl extends ItemList<OutgoingCall, OutgoingFilter> {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    super({
      name: 'outgoing',
      filter: { kind: true, status: true, url: true },
      page: {},
      list: async (query, options) =>
        (await transport.call('Control_ListOutgoingCalls', { query }, options)).calls,
      get: (id, options) => transport.call('Control_GetOutgoingCall', { path: { id } }, options),
      wait: async (query, options) => [
        await transport.call('Control_WaitForOutgoingCall', { query }, options),
      ],
    });
    this.#transport = transport;
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteOutgoingCalls', {}, options);
  }
}

export interface MailFilter {
  /** An address, or a glob such as `*@example.com`. */
  to?: string;
  kind?: Mail['kind'];
}

/** The mails that the service would have sent, with their `link` and `code`. */
export class MailControl extends ItemList<Mail, MailFilter> {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    const format = 'json' as const;
    super({
      name: 'mail',
      filter: { to: true, kind: true },
      page: {},
      list: async (filter, options) => {
        const list = await transport.call('Control_ListMails', { query: { ...filter, format } }, options);
        return (list as { mails: Mail[] }).mails;
      },
      get: async (id, options) =>
        (await transport.call('Control_GetMail', { path: { id }, query: { format } }, options)) as Mail,
      wait: async (query, options) => [await transport.call('Control_WaitForMail', { query }, options)],
    });
    this.#transport = transport;
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteMails', {}, options);
  }
}

/** Conditions on a delivery; all must hold. */
export interface DeliveryFilter {
  /** The id of the delivery. */
  id?: string;
  /** The id of an endpoint, its address, or a glob such as `http://localhost:3000/*`. */
  endpoint?: string;
  /** An event type, or a glob such as `user.*`. */
  type?: EventPattern;
  /** Without a status, `wait` takes only finished deliveries. */
  status?: WebhookDelivery['status'];
  /** Only deliveries after the one with this id. */
  since?: string;
}

/** The latest `limit` deliveries. */
export interface DeliveryPage extends DeliveryFilter {
  limit?: number;
}

/** The webhook deliveries of an environment. */
export class DeliveryControl extends CountedItemList<WebhookDelivery, DeliveryFilter, DeliveryPage> {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    super({
      name: 'webhooks.deliveries',
      filter: { id: true, endpoint: true, type: true, status: true, since: true },
      page: { limit: true },
      list: async (query, options) =>
        (await transport.call('Control_ListWebhookDeliveries', { query }, options)).deliveries,
      get: (id, options) => transport.call('Control_GetWebhookDelivery', { path: { id } }, options),
      wait: async (query, options) =>
        (await transport.call('Control_WaitForWebhookDeliveries', { query }, options)).deliveries,
    });
    this.#transport = transport;
  }

  /** Sends a delivery again at once, with the same `webhook-id`. Resolves when the attempt is finished. */
  async redeliver(id: string, waiting: Waiting = {}): Promise<WebhookDelivery> {
    checkOptions('webhooks.redeliver', waiting, WAITING);
    await this.#transport.call('Control_RedeliverWebhook', { path: { id } }, { signal: waiting.signal });
    return this.wait({ id }, waiting);
  }

  /** Deletes deliveries: all, or those of one endpoint. */
  async clear(filter: Pick<DeliveryFilter, 'endpoint'> = {}, options?: CallOptions): Promise<void> {
    checkOptions('webhooks.deliveries.clear', filter, CLEARED);
    await this.#transport.call('Control_DeleteWebhookDeliveries', { query: filter }, options);
  }
}

const CLEARED: NamesOf<Pick<DeliveryFilter, 'endpoint'>> = { endpoint: true };
