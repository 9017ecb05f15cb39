import type { components } from './scenario.gen.ts';
import type { ShippedScenarios } from './shipped-scenarios.gen.ts';
import type { EventName, FixtureName, OperationName, TriggerName } from './names.gen.ts';

declare const UNCHECKED: unique symbol;

/** Marks a name that the compiler does not check. */
export interface Unchecked {
  readonly [UNCHECKED]: true;
}

/** A name that is only known at run time. */
export type UncheckedName = string & Unchecked;

/**
 * Passes a name, a pattern or a scenario that is only known at run time to a function that takes known names. The
 * service still checks it.
 *
 * @example await env.scenario(unchecked(process.env.SCENARIO ?? 'invite-expired'));
 */
export const unchecked = <T extends string | object>(value: T): T & Unchecked => value as T & Unchecked;

// `understudy types` writes a file that adds a project's own scenarios and fixtures to these interfaces.
declare global {
  /** The scenarios of the project, with the types of their parameters. */
  // oxlint-disable-next-line typescript/no-empty-object-type -- projects add members
  interface UnderstudyScenarios {}
  /** The fixtures of the project. */
  // oxlint-disable-next-line typescript/no-empty-object-type -- projects add members
  interface UnderstudyFixtures {}
}

/** A text in which `*` stands for any text. */
type Glob = `${string}*${string}`;

/** Stands for the value of a parameter. */
export type Placeholder = `\${${string}}`;

/** Operations, or a glob such as `UserService_*`. */
export type OperationPattern = OperationName | Glob | UncheckedName;
/** Event types, or a glob such as `user.*`. */
export type EventPattern = EventName | Glob | UncheckedName;
/** Trigger points of interceptors, or a glob. */
export type TriggerPattern = TriggerName | Glob | UncheckedName;
/** What a rule is for: operations, webhooks such as `webhook.user.login`, or interceptors such as `interceptor.PRE_SIGNUP`. */
export type RulePattern =
  OperationPattern | `webhook.${EventName}` | `interceptor.${TriggerName}` | `${string}\${${string}`;

/** A status, a class such as `4xx`, or `none`. */
export type StatusPattern = number | `${1 | 2 | 3 | 4 | 5}xx` | `${number}` | 'none' | UncheckedName;

type Unit = 'ms' | 's' | 'm' | 'h' | 'd';
type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
/** `${number}` would also accept `300 ms`, because a number may have spaces around it. */
type SignedDuration = `${bigint}${Unit}` | `${bigint}.${bigint}${Unit}`;

/** `300ms`, `5s`, `15m`, `25h`, `14d`. For a text that is made at run time: `unchecked(`${days}d`)`. */
export type DurationText = (SignedDuration & `${Digit}${string}`) | UncheckedName;
/** `25h` or `-14d`. */
export type OffsetText = SignedDuration | `+${SignedDuration}` | UncheckedName;
/** A number is milliseconds. */
export type Duration = DurationText | number;

/** A fixture that comes with Understudy or is one of the project. */
export type Fixture = FixtureName | keyof UnderstudyFixtures | UncheckedName;

type Schema = components['schemas']['Scenario'];

/** A scenario that a test writes as an object, in the format of scenario files. */
export interface Scenario extends Schema {}

/** The parameters of each scenario; one of the project replaces the shipped one of its name. */
type Scenarios = Omit<ShippedScenarios, keyof UnderstudyScenarios> & UnderstudyScenarios;

/** The name of a scenario that comes with Understudy, or of one of the project. */
export type ScenarioName = Extract<keyof Scenarios, string>;

/** The parameters of a scenario. A name that is only known at run time may have any. */
export type ScenarioParams<N extends ScenarioName | UncheckedName> = N extends ScenarioName
  ? Scenarios[N]
  : object;

/** A name with parameters, such as `{ name: 'rate-limit-once', params: { retry_after: 5 } }`. */
type Reference = {
  [N in ScenarioName]: { name: N } & ParamsMember<ScenarioParams<N>>;
}[ScenarioName];

type ParamsMember<P> = object extends P ? { params?: P } : { params: P };

/** An object with only a name and parameters is a reference, so a scenario needs one of these. */
type Content = 'clock' | 'include' | 'rules' | 'state';
type Written = { [K in Content]: Scenario & Required<Pick<Scenario, K>> }[Content];

/** A scenario to load that is not named by a text alone: by name with parameters, or as an object. */
export type ScenarioObject = Reference | Written | (object & Unchecked);

/** A scenario to load: by name, by name with parameters, or as an object. */
export type WantedScenario = ScenarioName | UncheckedName | ScenarioObject;
