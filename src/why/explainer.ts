import type { Environments } from '../environment/environments.ts';
import type { Entry } from '../journal/entry.ts';
import type { Why } from './answer.ts';
import { History } from './history.ts';
import { explain } from './why.ts';

/** Explains calls that failed while they are logged or recorded for a report, because their environments may end. */
export class Explainer {
  /** Absent while the service starts. */
  environments: Pick<Environments, 'find' | 'list'> | undefined;

  readonly whyOf = (entry: Entry, name: string): Why | undefined => {
    const environment = this.environments?.find(name);
    if (!environment || !this.environments || (entry.status ?? 500) < 400) return undefined;
    const history = new History(() => environment.journal.list());
    return explain(entry, { environment, environments: this.environments, history });
  };
}
