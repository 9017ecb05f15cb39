import { Coverage } from './coverage.ts';

interface Covered {
  readonly coverage: Coverage;
}

/** The coverage of all environments, also of those that this process no longer has. */
export class TotalCoverage {
  readonly #gone = new Coverage();

  /** The environment leaves this process. */
  keep({ coverage }: Covered): void {
    this.#gone.addCountsOf(coverage);
  }

  whole(present: readonly Covered[]): Coverage {
    const whole = new Coverage(this.#gone.id);
    for (const { coverage } of [{ coverage: this.#gone }, ...present]) whole.addCountsOf(coverage);
    return whole;
  }

  /** Resets the coverage of one environment. */
  resetOne({ coverage }: Covered): void {
    coverage.reset();
    this.#gone.renewId();
  }

  resetAll(present: readonly Covered[]): void {
    for (const { coverage } of present) coverage.reset();
    this.#gone.reset();
    this.#gone.renewId();
  }
}
