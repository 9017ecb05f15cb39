import type { Rows } from '../world/schema.ts';
import type { Entry } from './entry.ts';
import type { RowChange } from '../world/row-change.ts';

/** Why nothing more will happen. */
export type Ending = 'dropped' | 'stopping';

/** What has just happened in an environment. Those that come and go are told in `default`. */
export type NewsItem =
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
export class Era {
  #over: 'reset' | 'dropped' | undefined;
  #ending: AbortController | undefined;

  /** How it ended. */
  get over(): 'reset' | 'dropped' | undefined {
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

type Listener = (item: NewsItem) => void;

/** Tells listeners what happens, in order, while it happens. A listener must not throw. */
export class News {
  readonly #listeners = new Set<Listener>();
  #ending: Ending | undefined;
  #era = new Era();

  /** Which one it is now: who keeps it sees when it is over. */
  get era(): Era {
    return this.#era;
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
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(item: NewsItem): void {
    if (item.kind === 'reset' && item.parts.includes('state')) this.#endEra('reset');
    for (const listener of this.#listeners) listener(item);
  }

  /** The last that listeners hear. */
  end(reason: Ending): void {
    if (this.#ending) return;
    this.#ending = reason;
    if (reason === 'dropped') this.#endEra(reason);
    this.tell({ kind: 'end', reason });
    this.#listeners.clear();
  }

  #endEra(over: 'reset' | 'dropped'): void {
    this.#era.end(over);
    this.#era = new Era();
  }
}

/** The changes, and the mails and deliveries among them. */
export function tellOfChanges(changes: readonly RowChange[], news: News): void {
  news.tell({ kind: 'state', changes });
  for (const { collection, before, after } of changes) {
    if (collection === 'mails' && !before) news.tell({ kind: 'mail', mail: after as Rows['mails'] });
    if (collection === 'webhook_deliveries' && after)
      news.tell({ kind: 'webhook', delivery: after as Rows['webhook_deliveries'] });
  }
}
