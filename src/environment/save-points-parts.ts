import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { RevivedScenarios } from '../scenarios/stored-scenarios.ts';
import type { Clock } from '../state/clock.ts';
import type { ConfiguredEndpoints } from '../state/configured-endpoints.ts';
import type { Credentials } from '../state/credentials.ts';
import type { DurableLog } from './durable-log.ts';
import type { InitialScenarios } from './scenario-loader.ts';
import type { Origin } from './marks.ts';
import type { CountedCalls, RateWindow } from '../state/rate-window.ts';
import type { ResetPart, SavePoint } from './save-point.ts';
import type { State } from '../state/state.ts';
import type { Ticker } from './ticker.ts';
import type { UnitsOfWork } from '../state/units-of-work.ts';

/** The parts of an environment that a save point restores, and those that this takes. */
export interface SavedParts {
  readonly state: State;
  readonly clock: Clock;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow: RateWindow;
  readonly units: UnitsOfWork;
  readonly ticker: Ticker;
  readonly log: DurableLog;
}

export interface StartSettings {
  readonly origin: Origin;
  readonly credentials: Credentials;
  readonly endpoints: ConfiguredEndpoints;
  readonly initial: InitialScenarios;
  /** Called after the parts have been restored. */
  readonly onRestored: (parts: ReadonlySet<ResetPart>) => void;
  /** Makes the outgoing calls that the new rows have waiting. */
  readonly resumeCalls: () => void;
}

/** What the log of an earlier process has beside rows. */
export interface PartsOfLog {
  /** Undefined: a version of Understudy wrote the log that stored none. */
  scenarios: RevivedScenarios | undefined;
  counted: CountedCalls | undefined;
  /** Undefined: the fixture. */
  start: SavePoint | undefined;
}
