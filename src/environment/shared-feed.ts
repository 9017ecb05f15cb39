import { feedEventsOf, MAX_EVENTS, MAX_LENGTH } from './activity-feed.ts';
import type { ActivityItem } from '../journal/activity.ts';
import type { Environment } from './environment.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { Environments } from './environments.ts';

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
