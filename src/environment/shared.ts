import type { Entry } from './journal/entry.ts';
import type { Environment } from './environment.ts';
import type { DueCall } from './due-calls.ts';
import type { JournalSettings } from './journal/journal.ts';
import type { ConfiguredEndpoints } from './configured-endpoints.ts';
import type { StateServices } from './unit-of-work.ts';

/** Makes the calls of environments. */
export interface CallDispatcher {
  /** Makes due calls after the current event loop turn. */
  dispatch(environment: Environment, calls: readonly DueCall[]): void;
  /** Like `dispatch` for all calls that are due in the environment, for example after a restart. */
  resume(environment: Environment): void;
  /** Resolves once all due calls that stay inside this process are made. */
  settled(environment: Environment): Promise<void>;
}

/** What all environments of a process share. */
export interface EnvironmentServices extends StateServices {
  journal: JournalSettings;
  outgoing: CallDispatcher;
  webhooks: ConfiguredEndpoints;
  /** Called with each complete call and the name of its environment. */
  onCalled: (entry: Entry, environment: string) => void;
}
