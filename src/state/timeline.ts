import type { Tables } from './env.ts';
import { anyTable } from './cascade.ts';
import { COLLECTIONS, TABLES, type Collection } from './schema.ts';
import { TIME_RULES, type Expiry } from './timeline-rules.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** Something that time does to a row, or did. */
export interface TimelineItem {
  /** Such as `2030-01-01T00:00:00.000Z`. */
  at: string;
  collection: Collection;
  id: string;
  /** `change`: the row changes. `attempt`: a delivery is sent again. `expiry`: the row stays; its value is refused. */
  kind: 'change' | 'attempt' | 'expiry';
  /** One sentence. */
  effect: string;
  /** What a person knows the row by, such as an e-mail address. */
  label?: string;
}

export interface Timeline {
  /** After `now`, soonest first. */
  due: TimelineItem[];
  /** By `now`, latest first. */
  expired: TimelineItem[];
  /** How many there are, those beyond the limit included. */
  counts: { due: number; expired: number };
}

/**
 * Reads every row that depends on the clock. Each list has the `limit` items nearest to `now`. Times are compared as
 * texts, because most of them need no parsing.
 */
export function timelineOf(tables: Tables, now: number, limit: number): Timeline {
  const shownNow = new Date(now).toISOString();
  const due = new Earliest<Moment>(limit, (a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const expired = new Earliest<Moment>(limit, (a, b) => (a.at > b.at ? -1 : a.at < b.at ? 1 : 0));
  const add = (moment: Moment) => (moment.at > shownNow ? due : expired).add(moment);
  for (const collection of COLLECTIONS) {
    if (TIME_RULES[collection] === undefined) continue;
    for (const row of anyTable(tables, collection).list() as Row[])
      addMoments(add, collection, row, shownNow);
  }
  const itemOf = (moment: Moment) => describe(tables, moment);
  return {
    due: due.list().map(itemOf),
    expired: expired.list().map(itemOf),
    counts: { due: due.count, expired: expired.count },
  };
}

/** Something that time does to a row. Only those that are shown are put into words. */
interface Moment {
  /** Such as `2030-01-01T00:00:00.000Z`. */
  at: string;
  collection: Collection;
  row: Row;
  /** `deadline`: the row will change. `change`: it has changed. Anything else is a value that is refused from then on. */
  what: 'deadline' | 'change' | Expiry;
}

const LENGTH = 24;

/** The time as `Date` writes it; undefined for what is no time. A tester may have written another form. */
function normalized(time: string | undefined): string | undefined {
  if (time === undefined || (time.length === LENGTH && time.endsWith('Z'))) return time;
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

interface AnyRules {
  change?: string;
  changedAt?: (row: Row) => string | undefined;
  expiries?: (row: Row) => readonly Expiry[];
}

const rulesOf = (collection: Collection) => TIME_RULES[collection] as AnyRules;

function addMoments(add: (moment: Moment) => void, collection: Collection, row: Row, now: string): void {
  const { changedAt, expiries } = rulesOf(collection);
  const { deadline } = TABLES[collection] as { deadline?: { at(row: object): string | undefined } };
  const due = normalized(deadline?.at(row));
  if (due !== undefined) add({ at: due, collection, row, what: 'deadline' });
  const past = normalized(changedAt?.(row));
  // A tester may have written a status that its time does not give.
  if (past !== undefined && past <= now) add({ at: past, collection, row, what: 'change' });
  for (const expiry of expiries?.(row) ?? []) {
    const at = normalized(expiry.at);
    if (at !== undefined) add({ at, collection, row, what: expiry });
  }
}

function describe(tables: Tables, { at, collection, row, what }: Moment): TimelineItem {
  const { change = '' } = rulesOf(collection);
  const item = { at, collection, id: row.id, ...labelOf(tables, row) };
  if (typeof what === 'object') return { ...item, kind: 'expiry', effect: what.effect };
  const kind = collection === 'webhook_deliveries' && what === 'deadline' ? 'attempt' : 'change';
  return { ...item, kind, effect: `${change}${what === 'deadline' ? outcomeOf(collection, row) : ''}.` };
}

/** The status that the row gets, such as `: membership_status becomes INVITE_EXPIRED`. */
function outcomeOf(collection: Collection, row: Row): string {
  const { expired } = TABLES[collection].deadline as unknown as { expired: (row: Row) => Row };
  const after = expired(row);
  const status = Object.keys(after).find((name) => name.endsWith('status') && after[name] !== row[name]);
  return status === undefined ? '' : `: ${status} becomes ${String(after[status])}`;
}

const LABELS = ['identifier', 'email', 'domain', 'name', 'display_name', 'event_type', 'description', 'url'];

function labelOf(tables: Tables, row: Row): { label?: string } {
  const { user_id: user, connected_account_id: account } = row;
  const named =
    LABELS.map((name) => row[name]).find((value) => typeof value === 'string') ??
    (typeof user === 'string' ? tables.users.find(user)?.email : undefined) ??
    (typeof account === 'string' ? tables.connected_accounts.find(account)?.identifier : undefined);
  return typeof named === 'string' ? { label: named } : {};
}

/** The first items of a long sequence in an order, without sorting all of them. */
class Earliest<T> {
  readonly #limit: number;
  readonly #compare: (a: T, b: T) => number;
  #kept: T[] = [];
  /** Items after it can't be among the first. */
  #last: T | undefined;
  /** How many items were added. */
  count = 0;

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: T): void {
    this.count += 1;
    if (this.#last !== undefined && this.#compare(item, this.#last) > 0) return;
    this.#kept.push(item);
    if (this.#kept.length <= 2 * this.#limit) return;
    this.#kept = this.list();
    this.#last = this.#kept.at(-1);
  }

  list(): T[] {
    return this.#kept.toSorted(this.#compare).slice(0, this.#limit);
  }
}
