import type { components } from '../contract/control.gen.ts';

type Schemas = components['schemas'];

export type AccountAuthorization = Schemas['AccountAuthorization'];
export type AuthorizedAccount = Schemas['AuthorizedAccount'];
export type Clock = Schemas['Clock'];
export type ClockSetting = Schemas['ClockSetting'];
export type Coverage = Schemas['Coverage'];
export type Environment = Schemas['Environment'];
export type NewEnvironment = Schemas['NewEnvironment'];
export type Health = Schemas['Health'];
export type JournalEntry = Schemas['JournalEntry'];
export type LoadedScenario = Schemas['LoadedScenario'];
export type LoadedScenarioId = Schemas['LoadedScenarioId'];
export type Mail = Schemas['Mail'];
export type OutgoingCall = Schemas['OutgoingCallRow'];
export type Dependents = Schemas['Dependents'];
export type LintedScenario = Schemas['LintedScenario'];
export type ScenarioFile = Schemas['ScenarioFile'];
export type Timeline = Schemas['Timeline'];
export type Snapshot = Schemas['Snapshot'];
export type NearMiss = Schemas['NearMiss'];
export type RequestMatch = Schemas['RequestMatch'];
export type ScenarioList = Schemas['ScenarioList'];
/** The expected number of calls; at least one if nothing is given. */
export type Expectation = Omit<Schemas['Verification'], 'match'>;
export type TriggeredEvent = Schemas['TriggeredEvent'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookEndpoint = Schemas['WebhookEndpointRow'];
/** All rows, by collection. */
export type State = Schemas['State'];
export type Collection = keyof State;
export type Row<C extends Collection> = NonNullable<State[C]>[number];

/** `300ms`, `5s`, `15m`, `25h`, `14d`; a number is milliseconds. */
export type Duration = string | number;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call times out; 0 for no limit. */
  timeout?: number | undefined;
}

export const durationText = (duration: Duration): string =>
  typeof duration === 'number' ? `${duration}ms` : duration;
