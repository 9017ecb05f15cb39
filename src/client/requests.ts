import type { ControlInput } from '../contract/types.ts';
import { CountedItemList } from './item-list.ts';
import type { OperationPattern, StatusPattern } from '../contract/name-patterns.ts';
import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Expectation, JournalEntry, RequestMatch } from './types.ts';

/** Conditions on a call; all must hold. */
export interface RequestFilter {
  /** An operation, or a glob such as `UserService_*`. */
  operation?: OperationPattern;
  method?: string;
  /** Without the query: a glob, or a template such as `/api/v1/organizations/{id}`. */
  path?: string;
  /** A status, or a class such as `4xx`. */
  status?: StatusPattern;
  /** Only calls after the one with this id. */
  since?: string;
}

/** The latest `limit` calls. For the page before, set `before` to the id of the first one. */
export interface RequestPage extends RequestFilter {
  limit?: number;
  before?: string;
}

/** The journal of an environment: every call with its reply, without secrets. */
export class RequestControl extends CountedItemList<JournalEntry, RequestFilter, RequestPage> {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    super({
      name: 'requests',
      filter: { operation: true, method: true, path: true, status: true, since: true },
      page: { limit: true, before: true },
      list: async (filter, options) =>
        (await transport.call('Control_ListRequests', { query: queryOf(filter) }, options)).requests,
      get: (id, options) => transport.call('Control_GetRequest', { path: { id } }, options),
      wait: async (filter, options) =>
        (await transport.call('Control_WaitForRequests', { query: queryOf(filter) }, options)).requests,
    });
    this.#transport = transport;
  }

  /**
   * Counts the calls that match; `match` takes the operators of a scenario's `when`. Throws a
   * `VerificationError` with the nearest calls if the count is not the expected one.
   */
  async verify(match: RequestMatch, expected: Expectation = {}, options?: CallOptions): Promise<number> {
    checkOptions('requests.verify', expected, EXPECTATION);
    const { atLeast: at_least, atMost: at_most, ...rest } = expected;
    const { operation, ...conditions } = match;
    const operations = operation !== undefined && {
      operation: typeof operation === 'string' ? operation : [...operation],
    };
    const body = {
      match: { ...conditions, ...operations },
      ...rest,
      ...(at_least !== undefined && { at_least }),
      ...(at_most !== undefined && { at_most }),
    };
    return (await this.#transport.call('Control_VerifyRequests', { body }, options)).count;
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_ClearRequests', {}, options);
  }
}

const EXPECTATION: NamesOf<Expectation> = { times: true, atLeast: true, atMost: true, since: true };

type Query = ControlInput<'Control_ListRequests'>['query'];

const queryOf = <T extends RequestFilter>({
  status,
  ...rest
}: T): Omit<T, 'status'> & Pick<Query, 'status'> => ({
  ...rest,
  ...(status !== undefined && { status: String(status) }),
});
