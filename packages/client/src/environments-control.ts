import { CALL, checkOptions, type NamesOf, type Transport } from './transport.ts';
import { readOptions, type ReadOptions } from './read-options.ts';
import type { CallOptions, Environment, KeptEnvironment, KeptTest, NewEnvironment } from './types.ts';

export const NEW_ENVIRONMENT: NamesOf<NewEnvironment> = {
  name: true,
  fixture: true,
  seed: true,
  clock: true,
  scenarios: true,
  persist: true,
  strict: true,
};

export interface EnvironmentListOptions extends CallOptions {
  /** The most environments at rest in the list, in order of name; 10 000 unless told otherwise. */
  resting?: number | undefined;
}

export interface EnvironmentPageOptions extends CallOptions {
  /** The name of an environment at rest: the page has only those at rest after it. */
  since?: string | undefined;
  /** The most environments at rest on the page; 100 unless told otherwise. */
  limit?: number | undefined;
}

export interface EnvironmentPage {
  environments: Environment[];
  /** The `since` of the next page. Undefined on the last page. */
  next?: string;
}

/** Environments at rest in one answer, at most. */
const PAGE = 1000;
const MOST_AT_REST = 10 * PAGE;

/** Creates, lists and drops isolated environments. */
export class EnvironmentsControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those that are awake, oldest first, then those at rest. The list wakes none of them. */
  async list(wanted: EnvironmentListOptions = {}): Promise<Environment[]> {
    checkOptions('environments.list', wanted, { ...CALL, resting: true });
    const { resting: most = MOST_AT_REST, ...options } = wanted;
    const listed: Environment[] = [];
    for (let since: string | undefined; ;) {
      const left = most - listed.filter(({ resting }) => resting).length;
      const page = await this.page({ ...options, limit: Math.min(PAGE, left), since });
      listed.push(...page.environments);
      since = page.next;
      if (since === undefined || left <= PAGE) return listed;
    }
  }

  /** Those that are awake, and the first of those at rest. With `since`, only those at rest after it. */
  page(wanted: EnvironmentPageOptions = {}): Promise<EnvironmentPage> {
    checkOptions('environments.page', wanted, { ...CALL, since: true, limit: true });
    const { signal, timeout, ...query } = wanted;
    return this.#transport.call('Control_ListEnvironments', { query }, { signal, timeout });
  }

  /** The environments that are kept for tests whose names have these words, the latest first. Without words: for all tests. */
  async kept(test = '', options?: CallOptions): Promise<KeptEnvironment[]> {
    const { environments } = await this.#transport.call(
      'Control_ListEnvironments',
      { query: { test } },
      options,
    );
    const kept = environments.filter((each): each is KeptEnvironment => each.kept !== undefined);
    return kept.toSorted((a, b) => (a.kept.kept_at < b.kept.kept_at ? 1 : -1));
  }

  /** Keeps an environment for a test. Those of 50 tests are kept, and the next one drops the oldest. */
  keep(name: string, test: KeptTest, options?: CallOptions): Promise<Environment> {
    checkOptions('environments.keep', test, { test: true, outcome: true });
    return this.#transport.call(
      'Control_KeepEnvironment',
      { path: { environment: name }, body: test },
      options,
    );
  }

  /** Creates an environment. Without a name it gets one; without a fixture it starts as `default` did. */
  async create(wanted: NewEnvironment = {}, options?: CallOptions): Promise<Environment> {
    checkOptions('environments.create', wanted, NEW_ENVIRONMENT);
    const { scenarios, ...rest } = wanted;
    const body = { ...rest, scenarios: scenarios as (string | Record<string, unknown>)[] | undefined };
    return this.#transport.call('Control_CreateEnvironment', { body }, options);
  }

  /** The names of the fixtures that an environment can start from. */
  async fixtures(options?: CallOptions): Promise<string[]> {
    return (await this.#transport.call('Control_ListFixtures', {}, options)).fixtures;
  }

  get(name: string, options?: CallOptions): Promise<Environment> {
    return this.#transport.call('Control_GetEnvironment', { path: { environment: name } }, options);
  }

  /** Copies an environment as it is or, with `at`, as it was. */
  fork(from: string, name?: string, wanted: ReadOptions = {}): Promise<Environment> {
    const { at, ...options } = readOptions('environments.fork', wanted);
    const given = { path: { environment: from }, body: { name, at } };
    return this.#transport.call('Control_ForkEnvironment', given, options);
  }

  async drop(name: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteEnvironment', { path: { environment: name } }, options);
  }
}
