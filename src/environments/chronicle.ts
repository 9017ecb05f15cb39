import { tellings } from './news-view.ts';
import type { News } from './news.ts';

/** What was told of one thing that happened, as JSON. */
export interface ToldEvent {
  /** From 1 on. */
  number: number;
  kind: string;
  data: string;
}

/** As many are kept for those that come late or read slowly, and of each as many characters. */
const MOST_KEPT = 1000;
const LONGEST = 16_384;

/** The latest news, kept from the first time that somebody follows them. Those that fall behind miss the oldest. */
export class Chronicle {
  #events: ToldEvent[] = [];
  #told = 0;
  readonly #waiting = new Set<() => void>();

  constructor(news: News, redact: boolean) {
    news.listen((item) => {
      for (const { kind, data } of tellings(item, redact)) this.#add(kind, JSON.stringify(data));
      for (const wake of this.#waiting) wake();
    });
  }

  /** The number of the latest. */
  get last(): number {
    return this.#told;
  }

  /** Those after that number as far as they are kept, and how many are not. */
  after(number: number): { events: readonly ToldEvent[]; missed: number } {
    const kept = Math.min(this.#events.length, MOST_KEPT);
    const missed = Math.max(0, this.#told - kept - number);
    const count = Math.max(0, this.#told - number - missed);
    return { events: this.#events.slice(this.#events.length - count), missed };
  }

  /** Resolves to whether there is more than that number, as soon as there is, or after so many real milliseconds. */
  more(number: number, patience: number, signal: AbortSignal): Promise<boolean> {
    if (this.#told > number || signal.aborted) return Promise.resolve(this.#told > number);
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(this.#told > number);
      };
      const timer = setTimeout(wake, patience);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #add(kind: string, data: string): void {
    this.#told += 1;
    const kept = data.length > LONGEST ? JSON.stringify({ truncated: data.length }) : data;
    this.#events.push({ number: this.#told, kind, data: kept });
    if (this.#events.length >= 2 * MOST_KEPT) this.#events = this.#events.slice(-MOST_KEPT);
  }
}
