import type { components } from '../contract/scenario.gen.ts';
import type { ShippedScenarios } from '../contract/shipped-scenarios.gen.ts';
import type { Unchecked, UncheckedName } from './names.ts';

type Schema = components['schemas']['Scenario'];

/** A scenario that a test writes as an object, in the format of scenario files. */
export interface Scenario extends Schema {}

/** The parameters of each scenario; one of the project replaces the shipped one of its name. */
type Scenarios = Omit<ShippedScenarios, keyof UnderstudyScenarios> & UnderstudyScenarios;

/** A scenario that comes with Understudy or is one of the project. */
export type ScenarioName = Extract<keyof Scenarios, string>;

/** The parameters of a scenario; any for a name that is only known at run time. */
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
