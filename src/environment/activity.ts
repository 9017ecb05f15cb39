import type { Rows } from './rows/schema.ts';
import type { Entry } from './journal/entry.ts';
import type { RowChange } from './env.ts';

/** Why nothing more will happen. */
export type Ending = 'dropped' | 'stopping';

/** What has just happened in an environment. Those that come and go are told in `default`. */
export type ActivityItem =
  | { kind: 'request'; entry: Entry }
  | { kind: 'state'; changes: readonly RowChange[] }
  | { kind: 'mail'; mail: Rows['mails'] }
  | { kind: 'webhook'; delivery: Rows['webhook_deliveries'] }
  | { kind: 'clock'; clock: object }
  | { kind: 'scenario'; change: 'loaded' | 'unloaded'; name: string }
  | { kind: 'snapshot'; change: 'taken'; name: string }
  | { kind: 'environment'; change: 'created' | 'forked' | 'dropped'; name: string; from?: string }
  | { kind: 'reset'; parts: readonly string[] }
  | { kind: 'end'; reason: Ending };

/** The time from one moment at which the rows were put back to the next. */
export class StateLifetime {
  #over: 'reset' | 'dropped' | undefined;
  #ending: AbortController | undefined;

  /** How it ended. */
  get endedBy(): 'reset' | 'dropped' | undefined {
    return this.#over;
  }

  /** Aborts when it is over. */
  get signal(): AbortSignal {
    const { signal } = (this.#ending ??= new AbortController());
    if (this.#over) this.#ending.abort();
    return signal;
  }

  end(over: 'reset' | 'dropped'): void {
    this.#over = over;
    this.#ending?.abort();
  }
}

type Subscriber = (item: ActivityItem) => void;

/** Tells listeners what happens, in order, while it happens. A listener must not throw. */
export class Activity {
  readonly #listeners = new Set<Subscriber>();
  #ending: Ending | undefined;
  #lifetime = new StateLifetime();

  /** Which one it is now: who keeps it sees when it is over. */
  get lifetime(): StateLifetime {
    return this.#lifetime;
  }

  /** undefined: it goes on. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** How many are listening. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Returns what ends the listening. */
  subscribe(listener: Subscriber): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  publish(item: ActivityItem): void {
    if (item.kind === 'reset' && item.parts.includes('state')) this.#endLifetime('reset');
    for (const listener of this.#listeners) listener(item);
  }

  /** The last that listeners hear. */
  end(reason: Ending): void {
    if (this.#ending) return;
    this.#ending = reason;
    if (reason === 'dropped') this.#endLifetime(reason);
    this.publish({ kind: 'end', reason });
    this.#listeners.clear();
  }

  #endLifetime(over: 'reset' | 'dropped'): void {
    this.#lifetime.end(over);
    this.#lifetime = new StateLifetime();
  }
}

/** The changes, and the mails and deliveries among them. */
export function publishChanges(changes: readonly RowChange[], activity: Activity): void {
  activity.publish({ kind: 'state', changes });
  for (const { collection, before, after } of changes) {
    if (collection === 'mails' && !before) activity.publish({ kind: 'mail', mail: after as Rows['mails'] });
    if (collection === 'webhook_deliveries' && after)
      activity.publish({ kind: 'webhook', delivery: after as Rows['webhook_deliveries'] });
  }
}
