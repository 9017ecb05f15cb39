import type { LoadedName } from '../scenarios/loaded-scenario.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Activity } from './activity.ts';
import type { SavePoints } from './save-points.ts';
import type { ScenarioEdits } from './scenario-edits.ts';

/** An environment. */
interface ScenarioLoaderHost {
  readonly scenarios: LoadedScenarios;
  readonly activity: Activity;
  readonly savePoints: SavePoints;
}

/** Loads scenarios into one environment. */
export class ScenarioLoader {
  readonly #host: ScenarioLoaderHost;
  readonly #edits: ScenarioEdits;

  constructor(host: ScenarioLoaderHost, edits: ScenarioEdits) {
    this.#host = host;
    this.#edits = edits;
  }

  /** Loads clock, state and rules, or nothing. Replaces a loaded scenario of the same name. */
  load(scenario: Scenario): LoadedName {
    const { scenarios, activity, savePoints } = this.#host;
    const { name } = scenario;
    const load = () => scenarios.load(scenario, this.#edits.applyState(scenario.state, scenario.clock));
    const reload = () => {
      scenarios.unload(name);
      return load();
    };
    const loaded = scenarios.restores(name) ? savePoints.orNothing(reload) : load();
    activity.publish({ kind: 'scenario', change: 'loaded', name });
    return loaded;
  }
}
