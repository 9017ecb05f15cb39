import { ItemList } from './item-list.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, OutgoingCall } from './types.ts';

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
