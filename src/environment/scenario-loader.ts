import { type LoadedName, restoreRows } from '../scenarios/loaded-scenario.ts';
import type { LoadedScenarios, AppliedState } from '../scenarios/rules.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Environment, EnvironmentServices } from './environment.ts';
import { fingerprintOf } from '../scenarios/scenario-copy.ts';
import { ScenarioError } from '../scenarios/complaints.ts';
import { nameOfFile } from '../scenarios/composition.ts';
import { revive, type RevivedScenarios, type StoredScenarios } from '../scenarios/stored-scenarios.ts';
import type { Contract } from '../contract/contract.ts';
import { applyEdits, type Edit } from '../scenarios/edits.ts';
import type { ScenarioHost } from '../scenarios/rule-outcome.ts';
import { runInTurns, runSync } from '../scenarios/steps.ts';
import type { Ticker } from './ticker.ts';
import { Clock, type ClockSettings } from '../state/clock.ts';
import type { Env, RowChange } from '../state/env.ts';
import type { State } from '../state/state.ts';
import { SET_UP, type LongUnit, type TransactionOptions, type UnitsOfWork } from '../state/units-of-work.ts';

interface ScenarioLoaderParts {
  readonly state: State;
  readonly clock: Clock;
  readonly units: UnitsOfWork;
  readonly ticker: Ticker;
  /** Describes the stored rows. */
  readonly rows: Contract;
}

const BY_RULE: TransactionOptions = { baseUrl: 'http://localhost' };

/** Loads scenarios into one environment, and makes their changes of rows and clock: all or nothing. */
export class ScenarioLoader {
  readonly #environment: Environment;
  readonly #parts: ScenarioLoaderParts;

  constructor(environment: Environment, parts: ScenarioLoaderParts) {
    this.#environment = environment;
    this.#parts = parts;
  }

  /** Loads clock, state and rules, or nothing. Replaces a loaded scenario of the same name. */
  load(scenario: Scenario): LoadedName {
    return this.#loadWith(scenario, () => this.#apply(SET_UP, scenario.state));
  }

  /**
   * Like `load`, with other calls in between, which see all of it or nothing. A scenario that replaces one with `restore` has
   * rows to put back first, and is loaded at once.
   */
  async loadInTurns(scenario: Scenario): Promise<LoadedName> {
    const { state: edits, clock, name } = scenario;
    if (edits.length === 0 || this.#environment.scenarios.restores(name)) return this.load(scenario);
    const { clock: time, ticker, units, rows } = this.#parts;
    const unit: LongUnit<void, LoadedName> = {
      begin: () => {
        ticker.runDue();
        const then = new Clock(time.settings());
        if (clock) then.set(clock);
        return { options: SET_UP, time: then.moment() };
      },
      run: (env) => applyEdits(env, edits, rows),
      commit: (make) => this.#loadWith(scenario, () => make().changes),
    };
    return runInTurns(units.runInSteps(unit));
  }

  #loadWith(scenario: Scenario, makeChanges: () => readonly RowChange[]): LoadedName {
    const { scenarios, activity, savePoints } = this.#environment;
    const { name } = scenario;
    const load = () => scenarios.load(scenario, this.#applyState(scenario, makeChanges));
    const reload = () => {
      scenarios.unload(name);
      return load();
    };
    const loaded = scenarios.restores(name) ? savePoints.orNothing(reload) : load();
    activity.publish({ kind: 'scenario', change: 'loaded', name });
    return loaded;
  }

  /** What rules may do in the environment. */
  get host(): ScenarioHost {
    const { state, clock } = this.#parts;
    return {
      chance: () => state.generator.draw(),
      now: () => clock.now(),
      change: (edits) => this.#change(edits),
      restore: (changes, settings) => this.#undo(changes, settings),
    };
  }

  /** The edits run at the new time but before anything that the new time makes due. */
  #applyState({ state: edits, clock }: Scenario, makeChanges: () => readonly RowChange[]): AppliedState {
    const { clock: time, ticker } = this.#parts;
    ticker.runDue();
    const before = time.settings();
    if (clock) time.set(clock);
    try {
      const changes = edits.length > 0 ? makeChanges() : [];
      if (clock) ticker.commitMove();
      else ticker.runDue();
      return { changes, clock: clock && before };
    } catch (thrown) {
      ticker.undoMove(before);
      throw thrown;
    }
  }

  #change(edits: readonly Edit[]): readonly RowChange[] {
    this.#parts.ticker.runDue();
    return this.#apply(BY_RULE, edits);
  }

  /** Restores rows and clock, then runs what is due. */
  #undo(changes: readonly RowChange[], clock: ClockSettings | undefined): void {
    if (changes.length > 0) this.#write(SET_UP, (env) => restoreRows(env, changes));
    if (clock) this.#parts.ticker.move((time) => time.set(clock));
  }

  #apply(options: TransactionOptions, edits: readonly Edit[]): readonly RowChange[] {
    return this.#write(options, (env) => runSync(applyEdits(env, edits, this.#parts.rows)));
  }

  #write(options: TransactionOptions, run: (env: Env) => void): readonly RowChange[] {
    const { clock, units } = this.#parts;
    return units.run(options, clock.moment(), run).changes;
  }
}

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

interface StoredScenarioSettings extends Pick<EnvironmentServices, 'readScenario' | 'warn'> {
  environment: string;
}

/** Reads the scenarios that an earlier process has stored. One that is no longer valid is left out, with a warning. */
export function readStoredScenarios(
  stored: StoredScenarios | undefined,
  { environment, readScenario, warn }: StoredScenarioSettings,
): Promise<RevivedScenarios> {
  return revive(stored ?? {}, async (copy) => {
    try {
      return await readScenario(copy);
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      const name = copy.origin?.name ?? nameOfFile(copy.file);
      warn(`environment ${environment} continues without scenario ${name}: ${thrown.message}`);
      return undefined;
    }
  });
}
