import type { JournalEntry } from '../client/types.ts';
import type { RequestViolation } from './run-report.ts';

/** Different violations that are counted separately; fields may have any name. */
const MAX_VIOLATIONS = 500;

/** Counts violations of requests by operation, field and description. */
export class ViolationTally {
  readonly #counts = new Map<string, RequestViolation>();
  readonly #left = new Set<string>();

  add({ id, environment, time, operation, validation }: JournalEntry): void {
    if (operation === undefined) return;
    for (const violation of validation.violations) {
      const [field, description] = [String(violation['field']), String(violation['description'])];
      const key = JSON.stringify([operation, field, description]);
      const known = this.#counts.get(key);
      if (known) known.times += 1;
      else if (this.#counts.size >= MAX_VIOLATIONS) this.#left.add(key.slice(0, MAX_VIOLATIONS));
      else
        this.#counts.set(key, {
          operation,
          field,
          description,
          times: 1,
          example: { environment, id, time },
        });
    }
  }

  list(): RequestViolation[] {
    const places = ({ operation, field }: RequestViolation) => `${operation} ${field}`;
    return [...this.#counts.values()].toSorted((a, b) => (places(a) < places(b) ? -1 : 1));
  }

  /** The number of different violations that are not in the list. */
  get more(): number {
    return this.#left.size;
  }
}
