import type { RowChange } from '../world/row-change.ts';
import type { Environment } from './environment.ts';
import type { JournalSettings } from './journal.ts';
import type { Shared } from './world-state.ts';

/** Makes the calls that environments have to make. */
export interface Dispatch {
  /** These wait in the environment; they are made once what happens now is over. */
  notice(environment: Environment, ids: readonly string[]): void;
  /** As `notice`, of all that wait there: they were not made when the rows were written down. */
  resume(environment: Environment): void;
}

/** What all environments of a process have in common. */
export interface Surroundings extends Shared {
  journal: JournalSettings;
  outgoing: Dispatch;
}

/** Calls that the changes have caused. */
export const newCalls = (changes: readonly RowChange[]): string[] =>
  changes.flatMap(({ collection, id, before }) => (collection === 'outgoing_calls' && !before ? id : []));
