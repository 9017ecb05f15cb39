import { fingerprintOf } from '../scenarios/scenario-copy.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { ScenarioLoader } from './scenario-loader.ts';

/** The scenarios that an environment starts with: those of the command line, or those of the call that made it. */
export class InitialScenarios {
  readonly #loaded: LoadedScenarios;
  readonly #loader: ScenarioLoader;
  /** Undefined in an environment that an earlier process has made. */
  #own: readonly Scenario[] | undefined;
  #stored: readonly string[] | undefined;

  constructor(loaded: LoadedScenarios, loader: ScenarioLoader) {
    this.#loaded = loaded;
    this.#loader = loader;
  }

  /** The log has these fingerprints. */
  get fingerprints(): readonly string[] {
    return this.#own?.map(fingerprint) ?? this.#stored ?? [];
  }

  set(scenarios: readonly Scenario[]): void {
    this.#own = scenarios;
    this.load();
  }

  load(): void {
    this.#loaded.reset();
    for (const scenario of this.#own ?? []) this.#loader.load(scenario);
  }

  /** `stored`: the fingerprints in the log. */
  known(stored: readonly string[] | undefined): void {
    this.#stored = stored;
  }

  /**
   * After the scenarios of an earlier process were restored: those of its start that are not of this one go, and new
   * ones are loaded. The others stay as they are: with their counts, or unloaded.
   */
  continue(): void {
    if (!this.#own) return;
    if (!this.#stored) return this.load();
    const known = new Set(this.#stored);
    const own = new Set(this.fingerprints);
    const isOver = (each: Scenario) => known.has(fingerprint(each)) && !own.has(fingerprint(each));
    for (const each of this.#loaded.scenarios().filter(isOver).toReversed()) this.#loaded.unload(each.name);
    for (const each of this.#own) if (!known.has(fingerprint(each))) this.#loader.load(each);
  }
}

const fingerprint = ({ copy }: Scenario) => fingerprintOf(copy);
