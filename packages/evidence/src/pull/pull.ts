import type { Contract } from '@understudy/core/contract/contract';
import { Caller, type Service } from '../probes/caller.ts';
import { COLLECTIONS } from '@understudy/core/state/schema';
import type { Collection } from '@understudy/core/state/env';
import { isObject, plainText } from '@understudy/text/json';
import type { Found, Item } from './answer-rows.ts';
import type { Rows } from './fixture-rows.ts';
import type { PartialFile } from './partial-file.ts';
import { Pulled, type PulledRow } from './pulled.ts';
import { Reader } from './reader.ts';
import { SOURCES, type Parameters, type Source } from './sources.ts';
import { StandIns } from './stand-ins.ts';
import { counted } from '@understudy/text/words';

interface PullRequest {
  service: Service;
  seed: string;
  keep: readonly string[];
  contract: Contract;
  /** Describes the rows. */
  control: Contract;
  /** Rows of Understudy's own fixtures. */
  shipped: Rows;
  partial: PartialFile;
  /** Hears of each list of which more was read. */
  told: (progress: string) => void;
}

interface PullResult {
  rows: Rows;
  /** Lists that could not be read, one line each. */
  refusals: string[];
  /** Collections of which a list was refused, so that rows may be missing. */
  unread: ReadonlySet<Collection>;
}

/** Tells how far it is after so many calls. */
const TELL_AFTER = 200;

/** Members of providers and tools that no list gives. */
const OWN = {
  providers: ['scopes', 'api_config_keys', 'mcp', 'records'],
  tools: ['response', 'answers'],
} as const;

/** Reads an environment through its public API. */
export class Pull {
  readonly #request: PullRequest;
  readonly #reader: Reader;
  readonly #pulled: Pulled;
  readonly #standIns: StandIns;
  readonly #refusals = new Set<string>();
  readonly #unread = new Set<Collection>();
  readonly #known: Found['known'];

  constructor(request: PullRequest) {
    const { contract, control, seed, keep, service, partial, shipped } = request;
    this.#request = request;
    this.#standIns = new StandIns({ seed, keep, idPrefixes: idPrefixes(control) }, contract);
    this.#reader = new Reader(new Caller(service), contract, this.#standIns, partial);
    this.#pulled = new Pulled(control);
    this.#known = knownIn(shipped);
  }

  async run(): Promise<PullResult> {
    for (const source of SOURCES) await this.#readSource(source);
    const entries = COLLECTIONS.map((collection) => [collection, this.#pulled.rows(collection)] as const);
    const rows: Rows = Object.fromEntries(entries.filter(([, list]) => list.length > 0));
    return {
      rows: withAnswers(rows, this.#request.shipped),
      refusals: [...this.#refusals],
      unread: this.#unread,
    };
  }

  async #readSource(source: Source): Promise<void> {
    const calls = source.calls?.(this.#pulled) ?? [{}];
    const { told } = this.#request;
    for (const [index, parameters] of calls.entries()) {
      await this.#readList(source, parameters);
      if (index % TELL_AFTER === TELL_AFTER - 1)
        told(`${source.operation}: ${index + 1} of ${calls.length} calls`);
    }
    const { length } = this.#pulled.rows(source.collection);
    told(`${source.operation}: ${counted(length, 'row')} of ${source.collection} so far`);
  }

  async #readList(source: Source, parameters: Parameters): Promise<void> {
    const { items, refusal } = await this.#reader.read(source, parameters);
    if (refusal !== undefined) {
      this.#refusals.add(refusal);
      this.#unread.add(source.collection);
      return;
    }
    const found: Found = {
      parameters,
      items,
      pulled: this.#pulled,
      host: new URL(this.#request.service.url).host,
      secret: (of) => this.#standIns.secret(of),
      known: this.#known,
    };
    const { row = (item: Item) => item as PulledRow } = source;
    for (const item of source.oldestFirst ? items : items.toReversed())
      for (const each of [row(item, found) ?? []].flat()) this.#pulled.add(source.collection, each);
  }
}

/** What begins an id: `org`, `usr` and so on. */
function idPrefixes(control: Contract): ReadonlySet<string> {
  const rows = control.schemaNamed('State')?.properties ?? {};
  const names = Object.values(rows).flatMap(({ items }) =>
    items?.$ref ? [items.$ref.slice('schema:'.length)] : [],
  );
  const patterns = names.map((name) => control.schemaNamed(name)?.properties?.['id']?.pattern ?? '');
  const found = patterns.flatMap((pattern) => /^\^\(?([a-z0-9|]+)\)?_/.exec(pattern)?.[1]?.split('|') ?? []);
  return new Set([...found, 'usr', 'usp', 'sec', 'sks', 'prv', 'env', 'key']);
}

/** By the id of a provider and by the name of a tool, as ids of tools differ between environments. */
function knownIn(shipped: Rows): Found['known'] {
  const nameOf = {
    providers: ({ id }: Item) => id,
    tools: ({ definition }: Item) => isObject(definition) && definition['name'],
  };
  const byName = (collection: 'providers' | 'tools') =>
    new Map((shipped[collection] ?? []).map((row) => [nameOf[collection](row), row]));
  const known = { providers: byName('providers'), tools: byName('tools') };
  return (collection, name) => {
    const row: Item = known[collection].get(name) ?? {};
    return Object.fromEntries(
      OWN[collection].flatMap((member) => (member in row ? [[member, row[member]]] : [])),
    );
  };
}

/** The answers of providers to calls through the proxy, which no list gives. */
function withAnswers(rows: Rows, shipped: Rows): Rows {
  const providers = new Set((rows.providers ?? []).map(({ id }) => id));
  const proxy_responses = (shipped.proxy_responses ?? []).filter(
    ({ provider }) => provider === undefined || providers.has(plainText(provider)),
  );
  return proxy_responses.length > 0 ? { ...rows, proxy_responses } : rows;
}

/** The collections of which the API has lists. */
export const PULLED: ReadonlySet<Collection> = new Set(SOURCES.map(({ collection }) => collection));
