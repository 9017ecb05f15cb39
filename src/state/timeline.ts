import type { Tables, Collection, Rows } from './env.ts';
import { anyTable, COLLECTIONS, TABLES } from './schema.ts';
import { refreshable } from './tables/connected-accounts.ts';

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
 * Reads every row that depends on the clock, in small steps. Each list has the `limit` items nearest to `now`. Times are
 * compared as texts, because most of them need no parsing. `tables` must not change meanwhile.
 */
export function* timelineOf(
  tables: Tables,
  now: number,
  limit: number,
): Generator<undefined, Timeline, undefined> {
  const shownNow = new Date(now).toISOString();
  const due = new Earliest<Moment>(limit, (a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const expired = new Earliest<Moment>(limit, (a, b) => (a.at > b.at ? -1 : a.at < b.at ? 1 : 0));
  const add = (moment: Moment) => (moment.at > shownNow ? due : expired).add(moment);
  for (const collection of COLLECTIONS) {
    if (TIME_RULES[collection] === undefined) continue;
    for (const row of anyTable(tables, collection).list() as Row[]) {
      addMoments(add, collection, row, shownNow);
      yield;
    }
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
  const item = { at, collection, id: row.id, ...labelOf(tables, row) };
  if (typeof what === 'object') return { ...item, kind: 'expiry', effect: what.effect };
  const kind = ATTEMPTS.has(collection) && what === 'deadline' ? 'attempt' : 'change';
  return { ...item, kind, effect: effectOf(collection, row, what) };
}

const effectOf = (collection: Collection, row: Row, what: 'deadline' | 'change') =>
  `${rulesOf(collection).change ?? ''}${what === 'deadline' ? outcomeOf(collection, row) : ''}.`;

/** What time does to the row, or has done; undefined if it does nothing. */
export function dueOf(
  collection: Collection,
  row: object,
  now: number,
): { at: string; effect: string; isOver: boolean } | undefined {
  if (TIME_RULES[collection] === undefined) return undefined;
  const moments: Moment[] = [];
  addMoments((moment) => moments.push(moment), collection, row as Row, new Date(now).toISOString());
  const first = moments.toSorted((a, b) => (a.at < b.at ? -1 : 1))[0];
  if (!first) return undefined;
  const { at, what } = first;
  const effect = typeof what === 'object' ? what.effect : effectOf(collection, row as Row, what);
  return { at, effect, isOver: Date.parse(at) <= now };
}

/** The status that the row gets, such as `: membership_status becomes INVITE_EXPIRED`. */
function outcomeOf(collection: Collection, row: Row): string {
  const { expired } = TABLES[collection].deadline as unknown as { expired: (row: Row) => Row };
  const after = expired(row);
  const status = Object.keys(after).find((name) => name.endsWith('status') && after[name] !== row[name]);
  return status === undefined ? '' : `: ${status} becomes ${String(after[status])}`;
}

/** Collections whose rows are calls that are made again. */
const ATTEMPTS: ReadonlySet<Collection> = new Set(['webhook_deliveries', 'idp_pushes']);

const LABELS = [
  'label',
  'identifier',
  'email',
  'domain',
  'name',
  'display_name',
  'event_type',
  'description',
  'url',
];

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

/** What time does to the rows of a collection. */
interface TimeRules<R> {
  /** What happens at the deadline of the table, as the beginning of a sentence. */
  change?: string;
  /** When the deadline changed the row; undefined if it did not. */
  changedAt?: (row: R) => string | undefined;
  /** Times that change no row: the service compares them with the clock when the value is used. */
  expiries?: (row: R) => readonly Expiry[];
}

export interface Expiry {
  at: string;
  effect: string;
}

/** Collections without an entry do not depend on the clock. */
export const TIME_RULES: { readonly [C in Collection]?: TimeRules<Rows[C]> } = {
  memberships: {
    change: 'The invitation expires',
    changedAt: (m) => (m.membership_status === 'INVITE_EXPIRED' ? m.expires_at : undefined),
  },
  api_tokens: {
    change: 'The API token expires',
    changedAt: (t) => (t.status === 'EXPIRED' ? t.expiry : undefined),
  },
  domains: {
    change: 'The verification of the domain fails',
    changedAt: (d) => (d.verification_status === 'FAILED' ? d.verify_before : undefined),
  },
  directories: {
    change: 'A secret of the directory expires',
    changedAt: ({ secrets }) =>
      latest(secrets.map(({ status, expire_time }) => (status === 'INACTIVE' ? expire_time : undefined))),
  },
  sessions: {
    change: 'The session ends',
    changedAt: (s) => (s.status === 'expired' ? s.expired_at : undefined),
  },
  login_transactions: { change: 'The sign-in expires', changedAt: expiredAt },
  login_requests: { change: 'The login request expires', changedAt: expiredAt },
  passkey_ceremonies: { change: 'The challenge of the passkey expires', changedAt: expiredAt },
  passwordless_requests: { change: 'The code and the link expire', changedAt: expiredAt },
  account_authorizations: { change: 'The authorization expires', changedAt: expiredAt },
  connected_accounts: {
    change: 'The access token expires',
    changedAt: (a) => (a.status === 'EXPIRED' ? a.token_expires_at : undefined),
    expiries: (a) =>
      a.status === 'ACTIVE' && refreshable(a)
        ? expiry(a.token_expires_at, 'The access token expires, and the next use refreshes it.')
        : [],
  },
  webhook_deliveries: { change: 'Understudy sends the delivery again' },
  idp_pushes: { change: 'The identity provider pushes' },
  webhook_endpoints: {
    expiries: ({ old_secrets = [] }) =>
      old_secrets.flatMap(({ expires_at }) => expiry(expires_at, 'A former signing secret stops signing.')),
  },
  signing_keys: {
    expiries: ({ retires_at }) =>
      expiry(retires_at, 'The key leaves /keys, and the service refuses the tokens that it signed.'),
  },
  clients: {
    expiries: ({ secrets }) =>
      secrets
        .filter(({ status }) => status !== 'INACTIVE')
        .flatMap(({ expire_time }) => expiry(expire_time, 'A secret of the client expires.')),
  },
  authorization_codes: {
    expiries: (c) => (c.used_at ? [] : expiry(c.expires_at, 'The authorization code expires.')),
  },
  refresh_tokens: {
    expiries: ({ used_at, revoked_at, issued_token }) =>
      used_at || revoked_at
        ? []
        : expiry(issued_token?.expires_at, 'The access token of this refresh token expires.'),
  },
  magic_links: { expiries: (l) => (l.used_at ? [] : expiry(l.expires_at, 'The link expires.')) },
  auth_requests: {
    expiries: (r) => (r.consumed ? [] : expiry(r.expires_at, 'The consent can no longer be confirmed.')),
  },
  mcp_sessions: { expiries: (s) => expiry(s.expires_at, 'The session at the MCP server ends.') },
  portal_links: { expiries: (l) => (l.used_at ? [] : expiry(l.expire_time, 'The portal link expires.')) },
  portal_sessions: { expiries: (s) => expiry(s.expires_at, 'The visit to the portal ends.') },
  webhook_portal_links: { expiries: (l) => expiry(l.expires_at, 'The link to the webhook portal expires.') },
  webhook_portal_sessions: { expiries: (s) => expiry(s.expires_at, 'The visit to the webhook portal ends.') },
};

const expiry = (at: string | undefined, effect: string): Expiry[] =>
  at === undefined ? [] : [{ at, effect }];

function expiredAt({ status, expires_at }: { status: string; expires_at: string }): string | undefined {
  return status === 'EXPIRED' ? expires_at : undefined;
}

const latest = (times: readonly (string | undefined)[]): string | undefined =>
  times.filter((time) => time !== undefined).toSorted((a, b) => Date.parse(b) - Date.parse(a))[0];
