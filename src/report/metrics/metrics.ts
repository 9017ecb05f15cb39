import { uptime } from '../../environment/clock.ts';
import { CallCounts } from './call-counts.ts';
import { Durations } from './durations.ts';

/** What a process has done since its start, in plain numbers. `exposition.ts` writes them for Prometheus. */
export class Metrics {
  /** Calls to the service. */
  readonly service = new CallCounts();
  /** Calls to the control API. */
  readonly control = new CallCounts();
  readonly commits = new CommitCounts();
  /** Calls that were sent to another process. */
  readonly forwards = new ForwardCounts();
  /** Calls of journals that are stored. `lost`: dropped before they were stored. */
  readonly journal = { stored: 0, lost: 0 };
  /** Attempts of webhooks and other outgoing calls, by kind and result. */
  readonly attempts = new Map<string, Map<string, number>>();

  countAttempt(kind: string, result: string): void {
    const results = this.attempts.get(kind) ?? new Map<string, number>();
    this.attempts.set(kind, results.set(result, (results.get(result) ?? 0) + 1));
  }
}

/** Commits of environments that are stored. */
export class CommitCounts {
  readonly durations = new Durations();
  failed = 0;
  /** Commits that are not stored yet. */
  waiting = 0;

  /** `began`: in milliseconds of `uptime`. `storing`: undefined if the commit is stored already. */
  add(began: number, storing: Promise<void> | undefined): void {
    if (!storing) return this.durations.add(uptime() - began);
    this.waiting += 1;
    storing
      .then(
        () => this.durations.add(uptime() - began),
        () => (this.failed += 1),
      )
      .finally(() => (this.waiting -= 1));
  }
}

/** `not_served`: the other process did not own the environment, or could not be reached. `broken`: no whole answer came. */
export type ForwardResult = 'answered' | 'not_served' | 'broken';

export class ForwardCounts {
  readonly durations = new Durations();
  readonly results: Record<ForwardResult, number> = { answered: 0, not_served: 0, broken: 0 };

  async track<T>(sending: Promise<T>, failureOf: (thrown: unknown) => ForwardResult): Promise<T> {
    const began = uptime();
    try {
      const answer = await sending;
      this.results.answered += 1;
      return answer;
    } catch (thrown) {
      this.results[failureOf(thrown)] += 1;
      throw thrown;
    } finally {
      this.durations.add(uptime() - began);
    }
  }
}
