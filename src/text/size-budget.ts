const MOST = 10_000_000;

/**
 * What templates may make for one answer, because values that stand in many places, or lists of lists, grow very fast.
 * Throws RangeError before more is made.
 */
export class SizeBudget {
  #left = MOST;

  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0)
      throw new RangeError(`the values that are filled in make more than ${MOST} characters`);
  }

  /** Spends the size of a value that is used as it is. */
  use<T>(value: T): T {
    this.#spendSize(value);
    return value;
  }

  #spendSize(value: unknown): void {
    this.spend(typeof value === 'string' ? 1 + value.length : 1);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) this.spend(name.length);
      this.#spendSize(member);
    }
  }
}
