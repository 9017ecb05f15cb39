import { checkOptions } from './options.ts';
import type { CallOptions, WebhookDelivery, WebhookEndpoint } from './types.ts';
import { WAITING, type Waiting } from './requests.ts';
import type { DeliveryFilter, Rotation } from './webhook-options.ts';
import type { WebhookControl } from './webhooks.ts';

/** A delivery as a receiver would see it. */
export interface ReceivedWebhook {
  /** The `webhook-id`: the same for every attempt. */
  id: string;
  type: string;
  payload: Record<string, unknown>;
  /** Letter by letter what was signed. */
  body: string;
  /** `webhook-id`, `webhook-timestamp` and `webhook-signature`, as verifiers take them. */
  headers: Record<string, string>;
  delivery: WebhookDelivery;
}

/**
 * An endpoint that keeps what it is sent. Each delivery is handed out once, in order.
 *
 * @example
 * const { headers, body } = await inbox.next('user.login');
 * client.verifyWebhookPayload(inbox.secret, headers, body); // an SDK's own check
 */
export class Inbox {
  readonly #webhooks: WebhookControl;
  readonly #handedOut = new Set<string>();
  #endpoint: WebhookEndpoint;

  /** @internal */
  constructor(webhooks: WebhookControl, endpoint: WebhookEndpoint) {
    this.#webhooks = webhooks;
    this.#endpoint = endpoint;
  }

  /** Of the endpoint. */
  get id(): string {
    return this.#endpoint.id;
  }

  /** What signatures are made with. */
  get secret(): string {
    return this.#endpoint.secret;
  }

  /**
   * The first one of that type, or glob of types, that was not handed out yet: one that is there, or one that comes
   * within `timeout` (4s). Throws a `WaitError` when it is up.
   */
  async next(type?: string, waiting: Waiting = {}, options?: CallOptions): Promise<ReceivedWebhook> {
    checkOptions('inbox.next', waiting, WAITING);
    const filter = this.#filter(type);
    for (;;) {
      const known = (await this.#webhooks.deliveries({ ...filter, limit: 1000 }, options)).filter(
        this.#isKnown,
      );
      const wanted = { ...filter, count: known.length + 1, ...waiting };
      const deliveries = await this.#webhooks.waitForDeliveries(wanted, options);
      const delivery = deliveries.find((each) => !this.#isKnown(each));
      if (!delivery) continue; // somebody else has asked at the same time
      this.#handedOut.add(delivery.id);
      return received(delivery);
    }
  }

  /** Everything that it was sent, oldest first, handed out or not. */
  async all(type?: string, options?: CallOptions): Promise<ReceivedWebhook[]> {
    const filter = { ...this.#filter(type), limit: 1000 };
    return (await this.#webhooks.deliveries(filter, options)).map(received);
  }

  /** Forgets what it was sent. */
  async clear(options?: CallOptions): Promise<void> {
    await this.#webhooks.clear({ endpoint: this.id }, options);
    this.#handedOut.clear();
  }

  /** Another secret, as `webhooks.rotateSecret` makes it. */
  async rotateSecret(rotation: Rotation = {}, options?: CallOptions): Promise<string> {
    this.#endpoint = await this.#webhooks.rotateSecret(this.id, rotation, options);
    return this.secret;
  }

  /** Takes it away, with what it was sent. */
  async remove(options?: CallOptions): Promise<void> {
    await this.#webhooks.removeEndpoint(this.id, options);
  }

  #filter(type: string | undefined): DeliveryFilter {
    return { endpoint: this.id, status: 'SUCCESS', ...(type !== undefined && { type }) };
  }

  readonly #isKnown = ({ id }: WebhookDelivery) => this.#handedOut.has(id);
}

function received(delivery: WebhookDelivery): ReceivedWebhook {
  const { id, event_type: type, payload = {}, body = '', attempts } = delivery;
  const { headers = {} } = attempts.at(-1) ?? {};
  return { id, type, payload, body, headers, delivery };
}
