import type { Env, Rows } from '@understudy/core/state/env';
import { failedPrecondition } from '@understudy/core/contract/errors';
import { plainText, type SizeBudget } from '@understudy/text/json';

export type RecordData = Record<string, unknown>;
type RecordRow = Rows['account_records'];
type RecordKind = NonNullable<Rows['providers']['records']>[string];

/** Where a record belongs: its kind, and what it is in, such as a channel. */
export interface RecordPlace {
  kind: string;
  group: string;
}

/** What looking at one record costs of the budget. */
const ROW_COST = 20;
/** What making or changing one costs, besides its values: an answer makes at most 500. */
const WRITE_COST = 20_000;

/** What the provider holds for one connected account, such as the messages of a mailbox. */
export class AccountRecords {
  readonly #env: Env;
  readonly #account: Rows['connected_accounts'];
  readonly #provider: string;
  readonly #budget: SizeBudget;

  constructor(env: Env, account: Rows['connected_accounts'], budget: SizeBudget) {
    this.#env = env;
    this.#account = account;
    this.#budget = budget;
    this.#provider = env.connections.get(account.connection_id).provider_key;
  }

  kind(name: string): RecordKind {
    const kind = this.#env.providers.find(this.#provider)?.records?.[name];
    if (kind) return kind;
    throw failedPrecondition(
      `provider ${this.#provider} has no records ${name}: describe them in the row of the provider`,
    );
  }

  get now(): number {
    return this.#env.clock.ms;
  }

  /** Newest first, with removed ones. */
  newest({ kind, group }: RecordPlace): Generator<RecordRow> {
    return this.#rows('place', `${this.#account.id} ${kind} ${group}`);
  }

  isEmpty(place: RecordPlace): boolean {
    return this.newest(place).next().done === true;
  }

  /** Keys may repeat in several groups. */
  find(kind: string, key: string, group?: string): RecordRow | undefined {
    for (const row of this.#rows('key', `${this.#account.id} ${kind} ${key}`))
      if (group === undefined || row.group === group) return row;
    return undefined;
  }

  *#rows(index: string, key: string): Generator<RecordRow> {
    const table = this.#env.account_records;
    for (const position of table.bucket(index, key).descending()) {
      this.#budget.spend(ROW_COST);
      yield table.at(position)!;
    }
  }

  /** One more than the latest record's, because `--history` removes old records. */
  nextNumber(place: RecordPlace): number {
    const { first = 1 } = this.kind(place.kind);
    const count = this.#env.account_records.count(
      'place',
      `${this.#account.id} ${place.kind} ${place.group}`,
    );
    let latest = 0;
    for (const { number } of this.newest(place)) {
      if (number === undefined) continue;
      latest = number;
      break;
    }
    return Math.max(first - 1 + count, latest) + 1;
  }

  /** Searching costs the more, the longer the record and what is searched for. */
  spendSearch(data: RecordData, search: string): void {
    const size = JSON.stringify(data).length;
    this.#budget.spend(Math.ceil((size / 4) * (1 + search.length / 200)));
  }

  add({ kind, group }: RecordPlace, number: number, data: RecordData): RecordData {
    this.#budget.spend(WRITE_COST);
    const key = plainText(data[this.kind(kind).key]);
    const row = {
      id: this.#env.draw.id('rec'),
      connected_account_id: this.#account.id,
      kind,
      group,
      key,
      number,
      data,
    };
    this.#env.account_records.insert(row);
    return data;
  }

  change({ id }: RecordRow, changes: Partial<RecordRow>): void {
    this.#budget.spend(WRITE_COST);
    this.#env.account_records.update(id, changes);
  }
}
