import type { components } from '@understudy/core/contract/control.gen';
import {
  unchecked,
  type Duration,
  type DurationText,
  type Fixture,
  type OffsetText,
  type OperationPattern,
  type StatusPattern,
  type WantedScenario,
} from '@understudy/core/contract/name-patterns';

type Schemas = components['schemas'];

/** Lets each optional member also be undefined, because neither a query nor JSON can hold an undefined member. */
export type Loose<T> = T extends object
  ? { [N in keyof T]: Loose<T[N]> | (object extends Pick<T, N> ? undefined : never) }
  : T;

export interface AccountAuthorization extends Loose<Omit<Schemas['AccountAuthorization'], 'user_verify'>> {
  /** What happens if the user must be verified; `confirm: true` confirms at once. */
  userVerify?: NonNullable<Schemas['AccountAuthorization']['user_verify']> | undefined;
}
export type AuthorizedAccount = Schemas['AuthorizedAccount'];
export type Clock = Schemas['Clock'];
export interface ClockSetting extends Loose<Omit<Schemas['ClockSetting'], 'offset'>> {
  /** Added to the machine's time, such as `25h` or `-30m`. */
  offset?: OffsetText | undefined;
}
export type Coverage = Schemas['Coverage'];
export type Environment = Schemas['Environment'];
/** The test for which an environment is kept, and how it ended. */
export type KeptTest = Schemas['KeptTest'];
/** The test for which a bundle is made. */
export type BundledTest = Loose<Schemas['BundledTest']>;
export type KeptEnvironment = Environment & Required<Pick<Environment, 'kept'>>;
export interface NewEnvironment extends Loose<
  Omit<Schemas['NewEnvironment'], 'fixture' | 'scenarios' | 'clock'>
> {
  /** The rows to start with; the fixture of `default` if omitted. */
  fixture?: Fixture | undefined;
  clock?: ClockSetting | undefined;
  /** Scenarios to load. Each reset loads them again. */
  scenarios?: readonly WantedScenario[] | undefined;
}
export type Health = Schemas['Health'];
export type JournalEntry = Schemas['JournalEntry'];
export type LoadedScenario = Schemas['LoadedScenario'];
export type LoadedScenarioId = Schemas['LoadedScenarioId'];
export type Mail = Schemas['Mail'];
export type SoftwarePasskey = Schemas['SoftwarePasskey'];
export type PasskeyAnswer = Schemas['PasskeyAnswer'];
export type TotpAuthenticator = Schemas['TotpAuthenticator'];
/** An identity provider with its people and groups, and what it has pushed. */
export type Idp = Schemas['Idp'];
export type IdpAction = Schemas['IdpAction'];
export type OutgoingCall = Schemas['OutgoingCallRow'];
export type Dependents = Schemas['Dependents'];
export type LintedScenario = Schemas['LintedScenario'];
export type ScenarioFile = Schemas['ScenarioFile'];
export type SigningKeys = Schemas['SigningKeys'];
export type Timeline = Schemas['Timeline'];
/** Something that would help a call. */
export type Remedy = Schemas['Remedy'];
/** What a remedy did, and the answer that it got. */
export type AppliedRemedy = Schemas['AppliedRemedy'];
/** A call with all that it caused. */
export type Trace = Schemas['Trace'];
export type Snapshot = Schemas['Snapshot'];
export type NearMiss = Schemas['NearMiss'];
/** How calls came and failed over time, and why they failed. */
export type RequestSummary = Schemas['RequestSummary'];
export interface RequestMatch extends Loose<Omit<Schemas['RequestMatch'], 'operation' | 'status'>> {
  /** An operation, a glob such as `UserService_*`, or a list of them. */
  operation?: OperationPattern | readonly OperationPattern[] | undefined;
  status?: StatusPattern | undefined;
}
export type ScenarioList = Schemas['ScenarioList'];
/** The expected number of calls; at least one if nothing is given. */
export interface Expectation {
  /** Exactly this number of calls. */
  times?: number | undefined;
  atLeast?: number | undefined;
  atMost?: number | undefined;
  /** The id of a call: only later calls count. */
  since?: string | undefined;
}
export type TriggeredEvent = Schemas['TriggeredEvent'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookEndpoint = Schemas['WebhookEndpointRow'];
/** All rows, by collection. */
export type State = Schemas['State'];
export type Collection = keyof State;
export type Row<C extends Collection> = NonNullable<State[C]>[number];
/** Changes of a row; null removes a field (RFC 7396). */
export type RowPatch<T> = T extends readonly unknown[]
  ? Readonly<T>
  : T extends object
    ? { [K in keyof T]?: RowPatch<T[K]> | null }
    : T;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call times out; 0 for no limit. */
  timeout?: number | undefined;
}

export const durationText = (duration: Duration): DurationText =>
  typeof duration === 'number' ? unchecked(`${duration}ms`) : duration;
