import type { ControlInput } from '../contract/types.ts';
import { checkOptions, type NamesOf } from './options.ts';
import { timeoutFor, type Transport } from './transport.ts';
import {
  durationText,
  type CallOptions,
  type Duration,
  type Expectation,
  type JournalEntry,
  type RequestMatch,
} from './types.ts';

/** The journal of an environment: every call with its reply, without secrets. */
export class RequestControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the latest `limit` calls, oldest first. For the page before, set `before` to the id of the first
   * one.
   */
  async list(
    filter: RequestFilter & { limit?: number; before?: string } = {},
    options?: CallOptions,
  ): Promise<JournalEntry[]> {
    checkOptions('requests.list', filter, LIST);
    const query = queryOf(filter);
    return (await this.#transport.call('Control_ListRequests', { query }, options)).requests;
  }

  /** The call with the id of a reply's `understudy-request-id` header. */
  get(id: string, options?: CallOptions): Promise<JournalEntry> {
    return this.#transport.call('Control_GetRequest', { path: { id } }, options);
  }

  /**
   * Waits up to `timeout` (4s) until `count` (1) calls match, including those already in the journal, and
   * returns them. Then throws a `WaitError` with the calls that came.
   */
  async wait(filter: RequestFilter & Waiting & { count?: number } = {}, options?: CallOptions) {
    checkOptions('requests.wait', filter, WAIT);
    const { timeout, ...rest } = filter;
    const query = { ...queryOf(rest), ...(timeout !== undefined && { timeout: durationText(timeout) }) };
    const milliseconds = timeoutFor(timeout, options);
    return (await this.#transport.call('Control_WaitForRequests', { query }, milliseconds)).requests;
  }

  /**
   * Counts the calls that match; `match` takes the operators of a scenario's `when`. Throws a
   * `VerificationError` with the nearest calls if the count is not the expected one.
   */
  async verify(match: RequestMatch, expected: Expectation = {}, options?: CallOptions): Promise<number> {
    checkOptions('requests.verify', expected, EXPECTATION);
    const body = { match, ...expected };
    return (await this.#transport.call('Control_VerifyRequests', { body }, options)).count;
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_ClearRequests', {}, options);
  }
}

/** Conditions on a call; all must hold. */
export interface RequestFilter {
  /** An operation, or a glob such as `UserService_*`. */
  operation?: string;
  method?: string;
  /** Without the query: a glob, or a template such as `/api/v1/organizations/{id}`. */
  path?: string;
  /** A status, or a class such as `4xx`. */
  status?: number | string;
  /** Only calls after the one with this id. */
  since?: string;
}

export interface Waiting {
  /** Real time, such as `5s`. */
  timeout?: Duration;
}

export const WAITING: NamesOf<Waiting> = { timeout: true };

const FILTER: NamesOf<RequestFilter> = {
  operation: true,
  method: true,
  path: true,
  status: true,
  since: true,
};
const LIST: NamesOf<RequestFilter & { limit?: number; before?: string }> = {
  ...FILTER,
  limit: true,
  before: true,
};
const WAIT: NamesOf<RequestFilter & Waiting & { count?: number }> = { ...FILTER, ...WAITING, count: true };
const EXPECTATION: NamesOf<Expectation> = { times: true, at_least: true, at_most: true, since: true };

type Query = ControlInput<'Control_ListRequests'>['query'];

const queryOf = <T extends RequestFilter>({
  status,
  ...rest
}: T): Omit<T, 'status'> & Pick<Query, 'status'> => ({
  ...rest,
  ...(status !== undefined && { status: String(status) }),
});
