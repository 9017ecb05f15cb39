import type { ControlInput } from '../contract/types.ts';
import { checkOptions, type NamesOf } from './options.ts';
import { timeoutFor, type Transport } from './transport.ts';
import {
  written,
  type CallOptions,
  type Duration,
  type Expectation,
  type JournalEntry,
  type RequestMatch,
} from './types.ts';

/** The journal of an environment: every call and its answer, secrets replaced. */
export class RequestControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The latest `limit` of them, oldest first. The page before it: `before` is the id of its first. */
  async list(
    filter: RequestFilter & { limit?: number; before?: string } = {},
    options?: CallOptions,
  ): Promise<JournalEntry[]> {
    checkOptions('requests.list', filter, LIST);
    const query = queryOf(filter);
    return (await this.#transport.call('Control_ListRequests', { query }, options)).requests;
  }

  /** The call that an answer's `understudy-request-id` names. */
  get(id: string, options?: CallOptions): Promise<JournalEntry> {
    return this.#transport.call('Control_GetRequest', { path: { id } }, options);
  }

  /**
   * The calls that match, as soon as there are `count` of them (1): those in the journal, and those that come within
   * `timeout` (4s). Throws a `WaitError`, with what had come, when it is up.
   */
  async wait(filter: RequestFilter & Waiting & { count?: number } = {}, options?: CallOptions) {
    checkOptions('requests.wait', filter, WAIT);
    const { timeout, ...rest } = filter;
    const query = { ...queryOf(rest), ...(timeout !== undefined && { timeout: written(timeout) }) };
    const milliseconds = timeoutFor(timeout, options);
    return (await this.#transport.call('Control_WaitForRequests', { query }, milliseconds)).requests;
  }

  /**
   * How many calls match, by the operators of a scenario's `when`. Throws a `VerificationError` that shows the nearest
   * ones when there are more or fewer than expected.
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

/** What is wanted of a call; all of it must be so. */
export interface RequestFilter {
  /** An operation, or a glob such as `UserService_*`. */
  operation?: string;
  method?: string;
  /** Without its query: a glob, or a template such as `/api/v1/organizations/{id}`. */
  path?: string;
  /** A status, or all of a class such as `4xx`. */
  status?: number | string;
  /** A request id: later ones only. */
  since?: string;
}

export interface Waiting {
  /** Of real time, such as `5s`. */
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
