import type { Activity, ActivityItem } from './activity.ts';
import type { Entry } from './journal/entry.ts';
import { patchOf } from './journal/json-patch.ts';
import { Redaction } from './journal/redaction.ts';
import type { Rows } from './rows/schema.ts';

/** What was told of one thing that happened, as JSON. */
export interface FeedEvent {
  /** From 1 on. */
  number: number;
  kind: string;
  data: string;
}

/** As many are kept for those that come late or read slowly, and of each as many characters. */
const MOST_KEPT = 1000;
const LONGEST = 16_384;

/** The latest news, kept from the first time that somebody follows them. Those that fall behind miss the oldest. */
export class ActivityFeed {
  #events: FeedEvent[] = [];
  #published = 0;
  readonly #waiting = new Set<() => void>();

  constructor(activity: Activity, redact: boolean) {
    activity.subscribe((item) => {
      for (const { kind, data } of feedEventsOf(item, redact)) this.#add(kind, JSON.stringify(data));
      for (const wake of this.#waiting) wake();
    });
  }

  /** The number of the latest. */
  get last(): number {
    return this.#published;
  }

  /** Those after that number as far as they are kept, and how many are not. */
  after(number: number): { events: readonly FeedEvent[]; missed: number } {
    const kept = Math.min(this.#events.length, MOST_KEPT);
    const missed = Math.max(0, this.#published - kept - number);
    const count = Math.max(0, this.#published - number - missed);
    return { events: this.#events.slice(this.#events.length - count), missed };
  }

  /** Resolves to whether there is more than that number, as soon as there is, or after so many real milliseconds. */
  more(number: number, timeout: number, signal: AbortSignal): Promise<boolean> {
    if (this.#published > number || signal.aborted) return Promise.resolve(this.#published > number);
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(this.#published > number);
      };
      const timer = setTimeout(wake, timeout);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #add(kind: string, data: string): void {
    this.#published += 1;
    const kept = data.length > LONGEST ? JSON.stringify({ truncated: data.length }) : data;
    this.#events.push({ number: this.#published, kind, data: kept });
    if (this.#events.length >= 2 * MOST_KEPT) this.#events = this.#events.slice(-MOST_KEPT);
  }
}

type Delivery = Rows['webhook_deliveries'];

/** One event of the stream: its kind, and what is told of it. */
export interface Told {
  kind: ActivityItem['kind'];
  data: object;
}

/** What somebody who follows the news is told; a call that a rule was applied to is told with the rule. */
export function feedEventsOf(item: ActivityItem, redact: boolean): Told[] {
  if (item.kind === 'request') return tellRequest(item.entry, redact);
  const { kind, ...rest } = item;
  if (item.kind === 'state') {
    const patch = patchOf(item.changes);
    const redaction = redact ? new Redaction(item.changes, patch) : undefined;
    return [{ kind, data: { changes: redaction ? patch.map(redaction.patch) : patch } }];
  }
  if (item.kind === 'mail') {
    const { id, kind: about, to, subject } = item.mail;
    const shown = redact ? new Redaction(item.mail).text(subject) : subject;
    return [{ kind, data: { id, kind: about, to, subject: shown } }];
  }
  if (item.kind === 'webhook') return [{ kind, data: tellDelivery(item.delivery) }];
  return [{ kind, data: item.kind === 'clock' ? item.clock : rest }];
}

/** How far it is, and how the latest attempt went. */
function tellDelivery({
  id,
  endpoint_id,
  event_id,
  event_type,
  status,
  attempts,
  next_attempt_at,
}: Delivery) {
  const { headers: _, answer: __, ...latest } = attempts.at(-1) ?? {};
  const data = { id, endpoint_id, event_id, event_type, status, next_attempt_at };
  return { ...data, attempts: attempts.length, ...(attempts.length > 0 && { latest }) };
}

function tellRequest(entry: Entry, redact: boolean): Told[] {
  const { id, method, path, headers, query, operation, status, duration, decision } = entry;
  const { name, rule } = (decision?.view(() => '') ?? {}) as { name?: string; rule?: number };
  const shown = redact ? new Redaction({ headers, query }).text(path) : path;
  const data = { id, method, path: shown, operation, status, duration_ms: duration };
  const applied: Told = { kind: 'scenario', data: { change: 'applied', name, rule, request: id } };
  return [{ kind: 'request', data }, ...(name === undefined ? [] : [applied])];
}
