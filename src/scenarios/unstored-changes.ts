import type { ActiveRule } from './active-rule.ts';

/** What has changed in the loaded scenarios since it was stored for the last time. */
export class UnstoredChanges {
  /** Scenarios were loaded or unloaded, so everything is stored again. */
  isWhole = true;
  /** Rows that scenarios put back. */
  hasImages = false;
  /** Whether the counts decide what later calls get. */
  decides = true;
  readonly #counted = new Set<ActiveRule>();

  get isEmpty(): boolean {
    return !this.isWhole && !this.hasImages && this.#counted.size === 0;
  }

  /** The rules with new counts. */
  get counted(): Iterable<ActiveRule> {
    return this.#counted;
  }

  noteAll(): void {
    this.isWhole = true;
    this.decides = true;
    this.#counted.clear();
  }

  noteImages(): void {
    this.hasImages = true;
    this.decides = true;
  }

  noteCount(active: ActiveRule): void {
    this.decides ||= isLimited(active);
    if (!this.isWhole) this.#counted.add(active);
  }

  clear(): void {
    this.isWhole = false;
    this.hasImages = false;
    this.decides = false;
    this.#counted.clear();
  }
}

/** Whether the counts of the rule, or a random number, decide about its next call. */
const isLimited = ({ rule: { after, every, times, probability } }: ActiveRule): boolean =>
  times !== undefined || after > 0 || every > 1 || probability !== undefined;
