import type { Transport } from './transport.ts';
import type { CallOptions, LoadedScenario, LoadedScenarioId, ScenarioList } from './types.ts';

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
   */
  load(scenario: string | object, params?: object, options?: CallOptions): Promise<LoadedScenarioId> {
    const wanted = typeof scenario === 'string' ? { name: scenario } : scenario;
    const body = { ...wanted, ...(params && { params }) };
    return this.#transport.call('Control_LoadScenario', { body }, options);
  }

  /** Loads the text of a scenario file. */
  loadYaml(text: string, options?: CallOptions): Promise<LoadedScenarioId> {
    return this.#transport.call('Control_LoadScenario', { body: text }, options);
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
