import { deadlineOf } from './deadlines.ts';
import type { Tables } from './env.ts';
import { anyTable } from './rows/cascade.ts';
import { COLLECTIONS, TABLES, type Collection } from './rows/schema.ts';
import { TIME_RULES, type Expiry } from './timeline-rules.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** Something that time does to a row, or did. */
export interface TimelineItem {
  at: number;
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
}

/** Reads every row that depends on the clock. */
export function timelineOf(tables: Tables, now: number): Timeline {
  const items = COLLECTIONS.filter((each) => TIME_RULES[each] !== undefined).flatMap((collection) =>
    (anyTable(tables, collection).list() as Row[]).flatMap((row) =>
      momentsOf(collection, row, now).map((moment) => ({
        ...moment,
        collection,
        id: row.id,
        ...labelOf(tables, row),
      })),
    ),
  );
  const inOrder = items.toSorted((a, b) => a.at - b.at);
  return {
    due: inOrder.filter(({ at }) => at > now),
    expired: inOrder.filter(({ at }) => at <= now).toReversed(),
  };
}

type Moment = Pick<TimelineItem, 'at' | 'kind' | 'effect'>;

interface AnyRules {
  change?: string;
  changedAt?: (row: Row) => string | undefined;
  expiries?: (row: Row) => readonly Expiry[];
}

function momentsOf(collection: Collection, row: Row, now: number): Moment[] {
  const { change = '', changedAt, expiries } = TIME_RULES[collection] as AnyRules;
  const due = deadlineOf(collection, row);
  const past = Date.parse(changedAt?.(row) ?? '');
  const kind = collection === 'webhook_deliveries' ? 'attempt' : 'change';
  return [
    ...(due === undefined
      ? []
      : [{ at: due, kind, effect: `${change}${outcomeOf(collection, row)}.` } as const]),
    // A tester may have written a status that its time does not give.
    ...(past <= now ? [{ at: past, kind, effect: `${change}.` } as const] : []),
    ...(expiries?.(row) ?? []).map(({ at, effect }) => ({
      at: Date.parse(at),
      kind: 'expiry' as const,
      effect,
    })),
  ];
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
