import type { Difference, DriftKind, Severity } from './difference.ts';
import { given } from '@understudy/text/json';

/** What differs between two answers or events, and how often they differ without meaning anything. */
export class Differences {
  readonly all: Difference[] = [];
  /** How often values differed without meaning anything, by reason. */
  readonly noise = new Map<string, number>();

  /** Members that are undefined are left out. */
  add(
    kind: DriftKind,
    severity: Severity,
    { verdict = 'drift', at, message, theirs, ours, contract }: NewDifference,
  ): void {
    this.all.push({
      verdict,
      kind,
      severity,
      at,
      message,
      ...given({ theirs, ours, contract }),
    });
  }

  count(reason: string): void {
    this.noise.set(reason, (this.noise.get(reason) ?? 0) + 1);
  }

  /** The differences that `compare` adds. */
  during(compare: () => void): Difference[] {
    const before = this.all.length;
    compare();
    return this.all.slice(before);
  }
}

interface NewDifference {
  verdict?: Difference['verdict'] | undefined;
  at: string;
  message: string;
  theirs?: unknown;
  ours?: unknown;
  contract?: string | undefined;
}
