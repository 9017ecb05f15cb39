import type {
  ScenarioName,
  ScenarioObject,
  ScenarioParams,
  UncheckedName,
} from '@understudy/core/contract/name-patterns';
import type { Transport } from './transport.ts';
import type {
  CallOptions,
  LintedScenario,
  LoadedScenario,
  LoadedScenarioId,
  ScenarioFile,
  ScenarioList,
} from './types.ts';

/** The scenarios of an environment: simulated failures and states. */
export class ScenarioControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Loads a library scenario by name, with parameters, or a scenario object, completely or not at all.
   * Replaces a loaded scenario of the same name.
   *
   * @example await scenarios.load('rate-limit-once', { retry_after: 5 });
   */
  load<N extends ScenarioName | UncheckedName>(
    scenario: N | ScenarioObject,
    ...[params, options]: LoadArguments<N>
  ): Promise<LoadedScenarioId> {
    const wanted = typeof scenario === 'string' ? { name: scenario } : scenario;
    const body: Record<string, unknown> = { ...wanted, ...(params && { params }) };
    return this.#transport.call('Control_LoadScenario', { body }, options);
  }

  /** Loads the text of a scenario file. */
  loadYaml(text: string, options?: CallOptions): Promise<LoadedScenarioId> {
    return this.#transport.call('Control_LoadScenario', { body: text }, options);
  }

  /** Checks the text of a scenario file without loading it. */
  lint(text: string, options?: CallOptions): Promise<LintedScenario> {
    return this.#transport.call('Control_LintScenario', { body: text }, options);
  }

  /** The text of the scenario file of this name. */
  file(name: string, options?: CallOptions): Promise<ScenarioFile> {
    return this.#transport.call('Control_GetScenarioFile', { path: { name } }, options);
  }

  /** Writes a scenario into the folder of `--scenarios` and returns the path of the file. */
  async save(name: string, text: string, save: SaveOptions = {}): Promise<string> {
    const { overwrite, ...options } = save;
    const given = { path: { name }, query: { overwrite }, body: text };
    return (await this.#transport.call('Control_PutScenarioFile', given, options)).file;
  }

  /** The scenarios that can be loaded, and those that are loaded. */
  list(options?: CallOptions): Promise<ScenarioList> {
    return this.#transport.call('Control_ListScenarios', {}, options);
  }

  /** A loaded scenario by id or name, with the counts of its rules. */
  get(id: string, options?: CallOptions): Promise<LoadedScenario> {
    return this.#transport.call('Control_GetScenario', { path: { id } }, options);
  }

  /** Removes the rules of a scenario, or of all; the state that they set stays. */
  async unload(id?: string, options?: CallOptions): Promise<void> {
    if (id === undefined) await this.#transport.call('Control_UnloadScenarios', {}, options);
    else await this.#transport.call('Control_UnloadScenario', { path: { id } }, options);
  }
}

/** The parameters, which may be left out unless the scenario needs one, and the options of the call. */
export type LoadArguments<N extends ScenarioName | UncheckedName> =
  object extends ScenarioParams<N>
    ? [params?: ScenarioParams<N>, options?: CallOptions]
    : [params: ScenarioParams<N>, options?: CallOptions];

export interface SaveOptions extends CallOptions {
  /** Replaces a file of this name. Without it, the call is rejected if there is one. */
  overwrite?: boolean | undefined;
}
