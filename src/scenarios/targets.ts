import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';
import { findTarget, type On, type Target } from './target.ts';

/** Finds the targets of the rules of one scenario: many rules have the same. */
export class Targets {
  /** What others call, and what the service sends of itself. */
  readonly #operations: readonly Operation[];
  readonly #known = new Map<string, Target>();

  constructor({ operations, messages }: Contract) {
    this.#operations = [...operations, ...messages];
  }

  /** Complains each time of one that matches nothing. */
  find(on: On, at: Path, complaints: Complaints): Target {
    const key = JSON.stringify(on);
    const known = this.#known.get(key);
    if (known) return known;
    const target = findTarget(on, at, this.#operations, complaints);
    if (complaints.isClean(at)) this.#known.set(key, target);
    return target;
  }
}
