import { checkOptions, type NamesOf } from './options.ts';
import { timeoutFor } from './transport.ts';
import type { Duration } from '../contract/name-patterns.ts';
import { durationText, type CallOptions } from './types.ts';

export interface Waiting {
  /** How long to wait in real time, such as `5s`; 4s if omitted. */
  timeout?: Duration | undefined;
  signal?: AbortSignal | undefined;
}

export const WAITING: NamesOf<Waiting> = { timeout: true, signal: true };

/** Only items after the one with this id. */
export interface Since {
  since?: string;
}

/** Query parameters of a call that waits. */
export interface WaitQuery {
  count?: number;
  timeout?: string;
}

/** How the items of one kind are called. */
export interface ItemCalls<Item, Filter, ListFilter = Filter> {
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
    const query = {
      ...wanted,
      ...(count !== undefined && { count }),
      ...(timeout !== undefined && { timeout: durationText(timeout) }),
    };
    return wait(query, timeoutFor(timeout, { signal }));
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
