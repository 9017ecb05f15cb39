import type { Entry } from './journal/entry.ts';
import type { Environment } from './environment.ts';
import type { DueCall } from './due-calls.ts';
import type { JournalSettings } from './journal/journal.ts';
import type { ConfiguredEndpoints } from './configured-endpoints.ts';
import type { SharedByStates } from './unit-of-work.ts';

/** Makes the calls that environments have to make. */
export interface CallDispatcher {
  /** These are due in the environment; they are made once what happens now is over. */
  dispatch(environment: Environment, calls: readonly DueCall[]): void;
  /** As `notice`, of all that is due there: it was not made when the rows were written down. */
  resume(environment: Environment): void;
  /** Resolves once all has been made that is due there and needs nobody outside of the process. */
  settled(environment: Environment): Promise<void>;
}

/** What all environments of a process have in common. */
export interface Shared extends SharedByStates {
  journal: JournalSettings;
  outgoing: CallDispatcher;
  webhooks: ConfiguredEndpoints;
  /** Told of every call that is complete, with the name of its environment. */
  onCalled: (entry: Entry, environment: string) => void;
}
