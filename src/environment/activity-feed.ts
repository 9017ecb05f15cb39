import { attemptCount } from '../webhooks/due-calls.ts';
import type { Activity, ActivityItem } from '../journal/activity.ts';
import type { Entry } from '../journal/entry.ts';
import { patchOf } from '../journal/json-patch.ts';
import { Redaction } from '../journal/redaction.ts';
import type { Rows } from '../state/schema.ts';

/** One event of the stream, as JSON. */
export interface FeedEvent {
  /** Starts at 1. */
  number: number;
  kind: string;
  data: string;
}

/** Limits for subscribers that are late or slow: events, and characters of each event. */
export const MAX_EVENTS = 1000;
export const MAX_LENGTH = 16_384;

/** The latest events, collected from the first subscription on. Slow subscribers miss the oldest. */
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

  /** The number of the latest event. */
  get last(): number {
    return this.#published;
  }

  /** The stored events after that number, and how many are missing. */
  after(number: number): { events: readonly FeedEvent[]; missed: number } {
    const kept = Math.min(this.#events.length, MAX_EVENTS);
    const missed = Math.max(0, this.#published - kept - number);
    const count = Math.max(0, this.#published - number - missed);
    return { events: this.#events.slice(this.#events.length - count), missed };
  }

  /** Resolves when there are events after that number or the timeout (real milliseconds) ends. */
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
    const kept = data.length > MAX_LENGTH ? JSON.stringify({ truncated: data.length }) : data;
    this.#events.push({ number: this.#published, kind, data: kept });
    if (this.#events.length >= 2 * MAX_EVENTS) this.#events = this.#events.slice(-MAX_EVENTS);
  }
}

type Delivery = Rows['webhook_deliveries'];

export interface FeedEventData {
  kind: ActivityItem['kind'];
  data: object;
}

/** The events for one activity item; a call to which a rule was applied has a second event. */
export function feedEventsOf(item: ActivityItem, redact: boolean): FeedEventData[] {
  if (item.kind === 'request') return requestEvents(item.entry, redact);
  const { kind, ...rest } = item;
  if (item.kind === 'state') {
    const patch = patchOf(item.changes).map(({ before: _, ...step }) => step);
    const redaction = redact ? new Redaction(item.changes, patch) : undefined;
    return [{ kind, data: { changes: redaction ? patch.map(redaction.patch) : patch } }];
  }
  if (item.kind === 'mail') {
    const { id, kind: about, to, subject } = item.mail;
    const shown = redact ? new Redaction(item.mail).text(subject) : subject;
    return [{ kind, data: { id, kind: about, to, subject: shown } }];
  }
  if (item.kind === 'webhook') return [{ kind, data: deliveryData(item.delivery) }];
  return [{ kind, data: item.kind === 'clock' ? item.clock : rest }];
}

/** The status and the latest attempt. */
function deliveryData(delivery: Delivery) {
  const { id, endpoint_id, event_id, event_type, status, next_attempt_at } = delivery;
  const { headers: _, answer: __, ...latest } = delivery.attempts.at(-1) ?? {};
  const attempts = attemptCount(delivery);
  const data = { id, endpoint_id, event_id, event_type, status, next_attempt_at };
  return { ...data, attempts, ...(attempts > 0 && { latest }) };
}

function requestEvents(entry: Entry, redact: boolean): FeedEventData[] {
  const { id, method, path, headers, query, operation, status, duration, decision } = entry;
  const { name, rule } = (decision?.view(() => '') ?? {}) as { name?: string; rule?: number };
  const shown = redact ? new Redaction({ headers, query }).text(path) : path;
  const data = { id, method, path: shown, operation, status, duration_ms: duration };
  const applied: FeedEventData = { kind: 'scenario', data: { change: 'applied', name, rule, request: id } };
  return [{ kind: 'request', data }, ...(name === undefined ? [] : [applied])];
}
