import type { Entry } from './entry.ts';
import type { RowChange, Rows } from '../state/env.ts';

/** Why an environment has no more activity. */
export type EndReason = 'dropped' | 'stopping';

/** `opened`: after a rest, or after its process has ended. */
export type EnvironmentChange = 'created' | 'forked' | 'kept' | 'opened' | 'rested' | 'dropped';

/** One thing that happened in an environment. Items about environments are published in `default`. */
export type ActivityItem =
  | { kind: 'request'; entry: Entry }
  | { kind: 'state'; changes: readonly RowChange[] }
  | { kind: 'mail'; mail: Rows['mails'] }
  | { kind: 'webhook'; delivery: Rows['webhook_deliveries'] }
  | { kind: 'clock'; clock: object }
  | { kind: 'scenario'; change: 'loaded' | 'unloaded'; name: string }
  | { kind: 'snapshot'; change: 'taken'; name: string }
  | { kind: 'environment'; change: EnvironmentChange; name: string; from?: string; test?: string }
  | { kind: 'reset'; parts: readonly string[] }
  | { kind: 'end'; reason: EndReason };

/** The time between two moments at which the rows were replaced. */
export class StateLifetime {
  /** Set by `end`. */
  endedBy: 'reset' | 'dropped' | undefined;
  #ending: AbortController | undefined;

  /** Aborts at the end of the lifetime. */
  get signal(): AbortSignal {
    const { signal } = (this.#ending ??= new AbortController());
    if (this.endedBy) this.#ending.abort();
    return signal;
  }

  end(endedBy: 'reset' | 'dropped'): void {
    this.endedBy = endedBy;
    this.#ending?.abort();
  }
}

type Subscriber = (item: ActivityItem) => void;

/** Publishes what happens, in order and synchronously. Subscribers must not throw. */
export class Activity {
  readonly #listeners = new Set<Subscriber>();
  readonly #observers = new Set<Subscriber>();
  /** Whether there are subscribers. A field, because every call reads it. */
  isFollowed = false;
  #ending: EndReason | undefined;
  /** The lifetime of the present rows. */
  lifetime = new StateLifetime();

  /** Undefined while the environment is active. */
  get endReason(): EndReason | undefined {
    return this.#ending;
  }

  get subscribers(): number {
    return this.#listeners.size;
  }

  /** Returns the function that unsubscribes. */
  subscribe(listener: Subscriber): () => void {
    return this.#add(listener, this.#listeners);
  }

  /** Like `subscribe`, but the environment may be dropped as idle meanwhile. */
  observe(observer: Subscriber): () => void {
    return this.#add(observer, this.#observers);
  }

  publish(item: ActivityItem): void {
    if (item.kind === 'reset' && item.parts.includes('state')) this.#endLifetime('reset');
    for (const listener of this.#listeners) listener(item);
    for (const observer of this.#observers) observer(item);
  }

  /** Publishes the last item. */
  end(reason: EndReason): void {
    if (this.#ending) return;
    this.#ending = reason;
    if (reason === 'dropped') this.#endLifetime(reason);
    this.publish({ kind: 'end', reason });
    this.#listeners.clear();
    this.#observers.clear();
    this.isFollowed = false;
  }

  #add(subscriber: Subscriber, to: Set<Subscriber>): () => void {
    to.add(subscriber);
    this.isFollowed = true;
    return () => {
      to.delete(subscriber);
      this.isFollowed = this.#listeners.size + this.#observers.size > 0;
    };
  }

  #endLifetime(endedBy: 'reset' | 'dropped'): void {
    this.lifetime.end(endedBy);
    this.lifetime = new StateLifetime();
  }
}

/** Publishes the changes, and the mails and deliveries among them. */
export function publishChanges(changes: readonly RowChange[], activity: Activity): void {
  activity.publish({ kind: 'state', changes });
  for (const { collection, before, after } of changes) {
    if (collection === 'mails' && !before) activity.publish({ kind: 'mail', mail: after as Rows['mails'] });
    if (collection === 'webhook_deliveries' && after)
      activity.publish({ kind: 'webhook', delivery: after as Rows['webhook_deliveries'] });
  }
}
