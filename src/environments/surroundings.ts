import type { Entry } from './entry.ts';
import type { Environment } from './environment.ts';
import type { Errand } from './errands.ts';
import type { JournalSettings } from './journal.ts';
import type { OwnEndpoints } from './own-endpoints.ts';
import type { Shared } from './occasion.ts';

/** Makes the calls that environments have to make. */
export interface Dispatch {
  /** These are due in the environment; they are made once what happens now is over. */
  notice(environment: Environment, errands: readonly Errand[]): void;
  /** As `notice`, of all that is due there: it was not made when the rows were written down. */
  resume(environment: Environment): void;
  /** Resolves once all has been made that is due there and needs nobody outside of the process. */
  settled(environment: Environment): Promise<void>;
}

/** What all environments of a process have in common. */
export interface Surroundings extends Shared {
  journal: JournalSettings;
  outgoing: Dispatch;
  webhooks: OwnEndpoints;
  /** Told of every call that is complete, with the name of its environment. */
  onCalled: (entry: Entry, environment: string) => void;
}
