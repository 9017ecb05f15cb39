import { checkOptions, type NamesOf } from './options.ts';
import { timeoutFor, type Transport } from './transport.ts';
import { WAITING, type Waiting } from './requests.ts';
import { durationText, type CallOptions, type OutgoingCall } from './types.ts';

/** Calls that the service makes by itself, such as back-channel logouts. */
export class OutgoingControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Oldest first. */
  async list(filter: OutgoingFilter = {}, options?: CallOptions): Promise<OutgoingCall[]> {
    checkOptions('outgoing.list', filter, FILTER);
    return (await this.#transport.call('Control_ListOutgoingCalls', { query: filter }, options)).calls;
  }

  get(id: string, options?: CallOptions): Promise<OutgoingCall> {
    return this.#transport.call('Control_GetOutgoingCall', { path: { id } }, options);
  }

  /**
   * Returns the latest matching call that was made, or waits up to `timeout` (4s) for one. Then throws a
   * `WaitError`.
   */
  async wait(
    filter: OutgoingFilter & Waiting & { since?: string } = {},
    options?: CallOptions,
  ): Promise<OutgoingCall> {
    checkOptions('outgoing.wait', filter, WAIT);
    const { timeout, ...rest } = filter;
    const query = { ...rest, ...(timeout !== undefined && { timeout: durationText(timeout) }) };
    return this.#transport.call('Control_WaitForOutgoingCall', { query }, timeoutFor(timeout, options));
  }
}

export interface OutgoingFilter {
  kind?: OutgoingCall['kind'];
  status?: OutgoingCall['status'];
  /** An address, or a glob such as `https://app.example/*`. */
  url?: string;
}

const FILTER: NamesOf<OutgoingFilter> = { kind: true, status: true, url: true };
const WAIT: NamesOf<OutgoingFilter & Waiting & { since?: string }> = { ...FILTER, ...WAITING, since: true };
