import { checkOptions, type NamesOf, timeoutFor, type Transport } from './transport.ts';
import type {
  Duration,
  OperationPattern,
  StatusPattern,
  EventPattern,
} from '@understudy/core/contract/name-patterns';
import {
  durationText,
  type CallOptions,
  type Expectation,
  type JournalEntry,
  type RequestMatch,
  type RequestSummary,
  type OutgoingCall,
  type Mail,
  type AppliedRemedy,
  type Remedy,
  type Trace,
  type WebhookDelivery,
} from './types.ts';
import type { ControlInput } from '@understudy/core/contract/types';

export interface Waiting {
  /** How long to wait in real time, such as `5s`; 4s if omitted. */
  timeout?: Duration | undefined;
  signal?: AbortSignal | undefined;
}

export const WAITING: NamesOf<Waiting> = { timeout: true, signal: true };

/** Only items after the one with this id. */
export interface Since {
  since?: string | undefined;
}

/** Query parameters of a call that waits. */
interface WaitQuery {
  count: number | undefined;
  timeout: string | undefined;
}

/** How the items of one kind are called. */
interface ItemCalls<Item, Filter, ListFilter = Filter> {
  /** Such as `mail`, for error messages. */
  name: string;
  filter: NamesOf<Filter>;
  /** Further conditions of `list`. */
  page: NamesOf<Omit<ListFilter, keyof Filter>>;
  list: (filter: ListFilter, options?: CallOptions) => Promise<Item[]>;
  get: (id: string, options?: CallOptions) => Promise<Item>;
  /** Returns more than one item only if the query has a `count`. */
  wait: (query: Filter & Since & WaitQuery, options?: CallOptions) => Promise<Item[]>;
}

/** Lists, finds and waits for the items of one kind: calls, mails, outgoing calls or webhook deliveries. */
export abstract class ItemList<Item, Filter extends object, ListFilter extends Filter = Filter> {
  readonly #calls: ItemCalls<Item, Filter, ListFilter>;

  /** @internal */
  constructor(calls: ItemCalls<Item, Filter, ListFilter>) {
    this.#calls = calls;
  }

  /** The matching items, oldest first. */
  async list(filter?: ListFilter, options?: CallOptions): Promise<Item[]> {
    const { name, page, list } = this.#calls;
    const wanted = filter ?? ({} as ListFilter);
    checkOptions(`${name}.list`, wanted, { ...this.#calls.filter, ...page } as NamesOf<ListFilter>);
    return list(wanted, options);
  }

  /** The latest matching item; undefined if there is none. */
  async find(filter?: Filter, options?: CallOptions): Promise<Item | undefined> {
    const wanted = filter ?? ({} as Filter);
    checkOptions(`${this.#calls.name}.find`, wanted, this.#calls.filter);
    const limit = 'limit' in this.#calls.page && { limit: 1 };
    return (await this.#calls.list({ ...wanted, ...limit } as unknown as ListFilter, options)).at(-1);
  }

  get(id: string, options?: CallOptions): Promise<Item> {
    return this.#calls.get(id, options);
  }

  /**
   * Returns the latest matching item, or waits up to `timeout` (4s) for one. Then throws a `WaitError` that shows
   * what came instead.
   */
  async wait(filter?: Filter & Since, waiting?: Waiting): Promise<Item> {
    return (await this.waitWith('wait', filter, waiting)).at(-1)!;
  }

  /** @internal */
  protected waitWith(
    call: string,
    filter: (Filter & Since) | undefined,
    { timeout, signal, ...unknown }: Waiting = {},
    count?: number,
  ): Promise<Item[]> {
    const { name, filter: names, wait } = this.#calls;
    const wanted = filter ?? ({} as Filter & Since);
    checkOptions(`${name}.${call}`, wanted, { ...names, since: true } as NamesOf<Filter & Since>);
    checkOptions(`${name}.${call}`, unknown, WAITING);
    const text = timeout === undefined ? undefined : durationText(timeout);
    return wait({ ...wanted, count, timeout: text }, timeoutFor(timeout, { signal }));
  }
}

/** A list that can also wait for a number of items. */
export abstract class CountedItemList<
  Item,
  Filter extends object,
  ListFilter extends Filter = Filter,
> extends ItemList<Item, Filter, ListFilter> {
  /**
   * Waits up to `timeout` (4s) until so many items match, including existing ones, and returns them. Then throws a
   * `WaitError` that shows what came instead.
   */
  async waitForCount(count: number, filter?: Filter & Since, waiting?: Waiting): Promise<Item[]> {
    return this.waitWith('waitForCount', filter, waiting, count);
  }
}

/** Conditions on a call; all must hold. */
export interface RequestFilter {
  /** An operation, or a glob such as `UserService_*`. */
  operation?: OperationPattern | undefined;
  method?: string | undefined;
  /** Without the query: a glob, or a template such as `/api/v1/organizations/{id}`. */
  path?: string | undefined;
  /** A status, a class such as `4xx`, or `none` for calls without an answer. */
  status?: StatusPattern | undefined;
  /** `http/1.1`, `http/2`, `grpc`, `grpc-web`, `connect` or `mcp`, or a glob such as `http/*`. */
  protocol?: string | undefined;
  /** The id of a client, a user or a directory, or a glob such as `usr_*`. */
  caller?: string | undefined;
  /** Only calls after the one with this id. */
  since?: string | undefined;
}

/** The latest `limit` calls. For the page before, set `before` to the id of the first one. */
export interface RequestPage extends RequestFilter {
  limit?: number | undefined;
  before?: string | undefined;
  /** Words in ids, paths, bodies and whatever else the journal shows of a call, in any order. */
  contains?: string | undefined;
  /** With `sort`, the first `limit` calls in that order. */
  sort?: 'time' | 'duration' | 'status' | 'method' | 'path' | 'operation' | undefined;
  reverse?: boolean | undefined;
  /** For `page`: adds how the calls that match came and failed. */
  summary?: boolean | undefined;
  /** Adds to each call why it got its answer. */
  why?: boolean | undefined;
}

/** Calls of the journal, and how many match. */
export interface CountedRequests {
  requests: JournalEntry[];
  /** How many calls match, whatever `limit` is. */
  total: number;
  /** How many calls the journal has. */
  kept: number;
  /** Only if `summary` is true. */
  summary?: RequestSummary;
}

const REQUEST_FILTER: NamesOf<RequestFilter> = {
  operation: true,
  method: true,
  path: true,
  status: true,
  protocol: true,
  caller: true,
  since: true,
};

const REQUEST_PAGE: NamesOf<Omit<RequestPage, keyof RequestFilter>> = {
  limit: true,
  before: true,
  contains: true,
  sort: true,
  reverse: true,
  summary: true,
  why: true,
};

/** The journal of an environment: every call with its reply, without secrets. */
export class RequestControl extends CountedItemList<JournalEntry, RequestFilter, RequestPage> {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    super({
      name: 'requests',
      filter: REQUEST_FILTER,
      page: REQUEST_PAGE,
      list: async (filter, options) =>
        (await transport.call('Control_ListRequests', { query: queryOf(filter) }, options)).requests,
      get: (id, options) => transport.call('Control_GetRequest', { path: { id } }, options),
      wait: async (filter, options) =>
        (await transport.call('Control_WaitForRequests', { query: queryOf(filter) }, options)).requests,
    });
    this.#transport = transport;
  }

  /** Like `list`, with the number of calls that match; `limit: 0` only counts. */
  async page(filter: RequestPage = {}, options?: CallOptions): Promise<CountedRequests> {
    checkOptions('requests.page', filter, { ...REQUEST_FILTER, ...REQUEST_PAGE });
    return this.#transport.call('Control_ListRequests', { query: queryOf(filter) }, options);
  }

  /**
   * Counts the calls that match; `match` takes the operators of a scenario's `when`. Throws a
   * `VerificationError` with the nearest calls if the count is not the expected one.
   */
  async verify(match: RequestMatch, expected: Expectation = {}, options?: CallOptions): Promise<number> {
    checkOptions('requests.verify', expected, EXPECTATION);
    const { atLeast: at_least, atMost: at_most, ...rest } = expected;
    const body = { match: match as ControlMatch, ...rest, at_least, at_most };
    return (await this.#transport.call('Control_VerifyRequests', { body }, options)).count;
  }

  /** What would help a call. Nothing is done. */
  async remedies(id: string, options?: CallOptions): Promise<Remedy[]> {
    return (await this.#transport.call('Control_ListRemedies', { path: { id } }, options)).remedies;
  }

  /** Applies the remedy with this number in the list, and returns the answer that it got. */
  fix(id: string, number: number, options?: CallOptions): Promise<AppliedRemedy> {
    return this.#transport.call('Control_ApplyRemedy', { path: { id, number: String(number) } }, options);
  }

  /** A call with all that it caused. The id of a delivery, a mail or another row leads to its call. */
  trace(id: string, options?: CallOptions): Promise<Trace> {
    return this.#transport.call('Control_GetTrace', { path: { id } }, options);
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_ClearRequests', {}, options);
  }
}

const EXPECTATION: NamesOf<Expectation> = { times: true, atLeast: true, atMost: true, since: true };

type Query = ControlInput<'Control_ListRequests'>['query'];
type ControlMatch = ControlInput<'Control_VerifyRequests'>['body']['match'];

/** The status may be a number, as all values of a query. */
const queryOf = <T extends RequestFilter>(filter: T) => filter as Omit<T, 'status'> & Pick<Query, 'status'>;

export interface OutgoingFilter {
  kind?: OutgoingCall['kind'] | undefined;
  /** Without a status, `wait` takes only calls that were made. */
  status?: OutgoingCall['status'] | undefined;
  /** An address, or a glob such as `https://app.example/*`. */
  url?: string | undefined;
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
  to?: string | undefined;
  kind?: Mail['kind'] | undefined;
  /** Whether the mails have their `html`, too. `get` always brings it. */
  html?: boolean | undefined;
}

/** The mails that the service would have sent, with their `link` and `code`. */
export class MailControl extends ItemList<Mail, MailFilter> {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    const format = 'json' as const;
    super({
      name: 'mail',
      filter: { to: true, kind: true, html: true },
      page: {},
      list: async (filter, options) => {
        const list = await transport.call('Control_ListMails', { query: { ...filter, format } }, options);
        return (list as { mails: Mail[] }).mails;
      },
      get: async (id, options) =>
        (await transport.call(
          'Control_GetMail',
          { path: { id }, query: { format, html: true } },
          options,
        )) as Mail,
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
  id?: string | undefined;
  /** The id of an endpoint, its address, or a glob such as `http://localhost:3000/*`. */
  endpoint?: string | undefined;
  /** An event type, or a glob such as `user.*`. */
  type?: EventPattern | undefined;
  /** Without a status, `wait` takes only finished deliveries. */
  status?: WebhookDelivery['status'] | undefined;
  /** Only deliveries after the one with this id. */
  since?: string | undefined;
}

/** The latest `limit` deliveries. */
export interface DeliveryPage extends DeliveryFilter {
  limit?: number | undefined;
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
