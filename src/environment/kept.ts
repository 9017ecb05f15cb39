import { invalidArgument } from '../contract/errors.ts';
import { machineTime } from '../state/clock.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { Environment } from './environment.ts';
import type { KeptTest } from './marks.ts';

/** The most environments that one service keeps for tests. */
export const MOST_KEPT = 50;

/** Keeps environments for tests, and says which are too many. */
export class KeptEnvironments {
  #latest = 0;

  /** Throws `invalid_argument` for an environment that must not be dropped when others are kept. */
  keep(environment: Environment, test: Omit<KeptTest, 'at'>): void {
    const { name, log, made } = environment;
    if (name === DEFAULT_ENVIRONMENT)
      throw invalidArgument('environment default cannot be kept for a test: it is never dropped');
    if (log.isKept && !made.temporary)
      throw invalidArgument(
        `environment ${name} cannot be kept for a test: it was created with persist, so it is never dropped`,
      );
    this.#latest = Math.max(machineTime(), this.#latest + 1);
    environment.keepFor({ ...test, at: this.#latest });
  }

  /** The one that was kept first, if there are too many. */
  surplus(environments: readonly Environment[]): Environment | undefined {
    const kept = environments.flatMap((each) => (each.keptFor ? [{ each, at: each.keptFor.at }] : []));
    return kept.length > MOST_KEPT ? kept.toSorted((a, b) => a.at - b.at)[0]!.each : undefined;
  }
}
