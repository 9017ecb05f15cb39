import type { Entry } from './journal.ts';

/** What has just happened in an environment. */
export type NewsItem = { kind: 'request'; entry: Entry };

type Listener = (item: NewsItem) => void;

/** Tells listeners what happens, in order, while it happens. A listener must not throw. */
export class News {
  readonly #listeners = new Set<Listener>();

  /** Returns what ends the listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(item: NewsItem): void {
    for (const listener of this.#listeners) listener(item);
  }
}
