import { ItemList } from './item-list.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Mail } from './types.ts';

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
