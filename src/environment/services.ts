import type { Contract } from '../contract/contract.ts';
import type { UnitServices } from '../state/units-of-work.ts';
import type { CallDispatcher } from '../webhooks/due-calls.ts';
import type { ConfiguredEndpoints } from '../state/configured-endpoints.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Entry } from '../journal/entry.ts';
import type { JournalSettings } from '../journal/journal-writer.ts';
import type { ScenarioCopy } from '../scenarios/scenario-copy.ts';
import type { Scenario } from '../scenarios/scenario.ts';

/** What all environments of a process share. */
export interface EnvironmentServices extends UnitServices {
  /** The control API's contract, which describes the stored rows. */
  rows: Contract;
  journal: JournalSettings;
  outgoing: CallDispatcher;
  metrics: Metrics;
  webhooks: ConfiguredEndpoints;
  /** Reads a scenario that an earlier process has stored. */
  readScenario: (copy: ScenarioCopy) => Promise<Scenario>;
  /** Reports failures that no caller can be told. */
  report: (message: string, cause: unknown) => void;
  /** Called with each complete call and the name of its environment, if anybody wants to know. */
  onCalled: ((entry: Entry, environment: string) => void) | undefined;
}
