import type { Contract } from '../contract/contract.ts';
import type { Environments } from '../environment/environments.ts';
import type { Entry } from '../journal/entry.ts';
import type { Why } from '../why/answer.ts';

/** Explains calls that failed while they are logged or recorded for a report, because their environments may end. */
export class Explainer {
  #explain: ((entry: Entry, environment: string) => Why | undefined) | undefined;

  /** Undefined for a call that succeeded, and before `begin`. */
  readonly whyOf = (entry: Entry, environment: string): Why | undefined =>
    (entry.status ?? 500) < 400 ? undefined : this.#explain?.(entry, environment);

  /** Loads what explains calls. Most services need it later, if at all. */
  async begin(environments: Pick<Environments, 'find' | 'list'>, contract: Contract): Promise<void> {
    const [{ explain }, { History }] = await Promise.all([
      import('../why/why.ts'),
      import('../why/history.ts'),
    ]);
    this.#explain = (entry, name) => {
      const environment = environments.find(name);
      if (!environment) return undefined;
      const history = new History(() => environment.journal.list());
      return explain(entry, { environment, environments, contract, history });
    };
  }
}
