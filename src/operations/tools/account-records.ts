import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { failedPrecondition } from '../../errors.ts';
import { plainText } from '../../text/json.ts';

export type RecordData = Record<string, unknown>;
type RecordRow = Rows['account_records'];
export type RecordKind = NonNullable<Rows['providers']['records']>[string];

/** Where a record belongs: its kind, and what it is in, such as a channel. */
export interface RecordPlace {
  kind: string;
  group: string;
}

/** What the provider holds for one connected account, such as the messages of a mailbox. */
export class AccountRecords {
  readonly #env: Env;
  readonly #account: Rows['connected_accounts'];
  readonly #provider: string;

  constructor(env: Env, account: Rows['connected_accounts']) {
    this.#env = env;
    this.#account = account;
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
  rows({ kind, group }: RecordPlace): RecordRow[] {
    return this.#env.account_records.list('place', `${this.#account.id} ${kind} ${group}`).toReversed();
  }

  /** Keys may repeat in several groups. */
  find(kind: string, key: string, group?: string): RecordRow | undefined {
    const rows = this.#env.account_records.list('key', `${this.#account.id} ${kind} ${key}`);
    return rows.findLast((row) => group === undefined || row.group === group);
  }

  /** One more than the latest record's, because `--history` removes old records. */
  nextNumber(place: RecordPlace): number {
    const rows = this.rows(place);
    const { first = 1 } = this.kind(place.kind);
    const numbers = rows.flatMap(({ number }) => number ?? []);
    return Math.max(first - 1 + rows.length, ...numbers.slice(0, 1)) + 1;
  }

  add({ kind, group }: RecordPlace, number: number, data: RecordData): RecordData {
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
    this.#env.account_records.update(id, changes);
  }
}
