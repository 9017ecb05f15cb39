import { attemptCount } from '../webhooks/due-calls.ts';
import type { Activity, ActivityItem } from '../journal/activity.ts';
import type { Entry } from '../journal/entry.ts';
import { patchOf } from '../journal/json-patch.ts';
import { Redaction } from '../journal/redaction.ts';
import type { Rows } from '../state/env.ts';
import type { Environment } from './environment.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { Environments } from './environments.ts';

/** One event of the stream, as JSON. */
interface FeedEvent {
  /** Starts at 1. */
  number: number;
  kind: string;
  data: string;
}

/** Limits for subscribers that are late or slow: events, and characters of each event. */
const MAX_EVENTS = 1000;
const MAX_LENGTH = 16_384;

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

interface FeedEventData {
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
  const { id, method, path, headers, query, operation, status, expected, duration } = entry;
  const { name, rule } = (entry.decision?.view(() => '') ?? {}) as { name?: string; rule?: number };
  const shown = redact ? new Redaction({ headers, query }).text(path) : path;
  const data = { id, method, path: shown, operation, status, expected, duration_ms: duration };
  const applied: FeedEventData = { kind: 'scenario', data: { change: 'applied', name, rule, request: id } };
  return [{ kind: 'request', data }, ...(name === undefined ? [] : [applied])];
}

export interface SharedEvent {
  /** The environment, which may have more to store before the event may be shown. */
  of: Environment;
  kind: string;
  /** JSON with the member `environment`. */
  data: string;
}

/** The events of all environments, for one reader. A slow reader misses the oldest. */
export class SharedFeed {
  readonly #environments: Environments;
  /** How to stop observing, by environment. */
  readonly #observed = new Map<Environment, () => void>();
  #events: SharedEvent[] = [];
  #missed = 0;
  #wake = () => {};

  constructor(environments: Environments) {
    this.#environments = environments;
    this.#observeNew();
  }

  /** Removes and returns the stored events, and how many are missing before them. */
  take(): { events: readonly SharedEvent[]; missed: number } {
    const taken = { events: this.#events, missed: this.#missed };
    this.#events = [];
    this.#missed = 0;
    return taken;
  }

  /** Resolves when there are events, the timeout (real milliseconds) ends or the reader leaves. */
  more(timeout: number, signal: AbortSignal): Promise<boolean> {
    if (this.#events.length > 0 || signal.aborted) return Promise.resolve(this.#events.length > 0);
    return new Promise((resolve) => {
      this.#wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', this.#wake);
        this.#wake = () => {};
        resolve(this.#events.length > 0);
      };
      const timer = setTimeout(this.#wake, timeout);
      signal.addEventListener('abort', this.#wake);
    });
  }

  close(): void {
    for (const stop of this.#observed.values()) stop();
    this.#observed.clear();
  }

  #observeNew(): void {
    for (const environment of this.#environments.list())
      if (!this.#observed.has(environment)) {
        const observer = (item: ActivityItem) => this.#collect(environment, item);
        this.#observed.set(environment, environment.activity.observe(observer));
      }
  }

  #collect(environment: Environment, item: ActivityItem): void {
    const { name, journal } = environment;
    if (item.kind === 'end') this.#observed.delete(environment);
    // What comes or goes is registered right after it is published. `default` stays here when another process takes it.
    if (item.kind === 'environment' || item.kind === 'end') queueMicrotask(() => this.#observeNew());
    // The reader learns from `environment` that another environment was dropped.
    if (item.kind === 'end' && (name !== DEFAULT_ENVIRONMENT || item.reason !== 'stopping')) return;
    for (const { kind, data } of feedEventsOf(item, journal.redacts)) this.#add(environment, kind, data);
    this.#wake();
  }

  #add(of: Environment, kind: string, data: object): void {
    const { name: environment } = of;
    const text = JSON.stringify({ environment, ...data });
    const kept = text.length > MAX_LENGTH ? JSON.stringify({ environment, truncated: text.length }) : text;
    this.#events.push({ of, kind, data: kept });
    if (this.#events.length <= MAX_EVENTS) return;
    this.#events.shift();
    this.#missed += 1;
  }
}
