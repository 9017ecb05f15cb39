import { checkOptions, type NamesOf } from './options.ts';
import { timeoutFor, type Transport } from './transport.ts';
import { WAITING, type Waiting } from './requests.ts';
import { durationText, type CallOptions, type Mail } from './types.ts';

/** The mails that the service would have sent. */
export class MailControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Oldest first. */
  async list(filter: MailFilter = {}, options?: CallOptions): Promise<Mail[]> {
    checkOptions('mail.list', filter, FILTER);
    const query = { ...filter, format: 'json' } as const;
    return ((await this.#transport.call('Control_ListMails', { query }, options)) as MailList).mails;
  }

  async get(id: string, options?: CallOptions): Promise<Mail> {
    const query = { format: 'json' } as const;
    return (await this.#transport.call('Control_GetMail', { path: { id }, query }, options)) as Mail;
  }

  /**
   * Returns the latest matching mail with its `link` and `code`, or waits up to `timeout` (4s) for one. Then
   * throws a `WaitError` that lists the other mails.
   */
  async wait(filter: MailFilter & Waiting & { since?: string } = {}, options?: CallOptions): Promise<Mail> {
    checkOptions('mail.wait', filter, WAIT);
    const { timeout, ...rest } = filter;
    const query = { ...rest, ...(timeout !== undefined && { timeout: durationText(timeout) }) };
    return this.#transport.call('Control_WaitForMail', { query }, timeoutFor(timeout, options));
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteMails', {}, options);
  }
}

interface MailList {
  mails: Mail[];
}

export interface MailFilter {
  /** An address, or a glob such as `*@example.com`. */
  to?: string;
  kind?: Mail['kind'];
}

const FILTER: NamesOf<MailFilter> = { to: true, kind: true };
const WAIT: NamesOf<MailFilter & Waiting & { since?: string }> = { ...FILTER, ...WAITING, since: true };
