import type { Transport } from './transport.ts';
import type { CallOptions, LoadedScenario, LoadedScenarioId, ScenarioList } from './types.ts';

/** What goes wrong in an environment, and when. */
export class ScenarioControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * One of the library by its name, with values for its parameters, or the scenario itself. All or nothing; one of the
   * same name is replaced.
   */
  load(scenario: string | object, params?: object, options?: CallOptions): Promise<LoadedScenarioId> {
    const wanted = typeof scenario === 'string' ? { name: scenario } : scenario;
    const body = { ...wanted, ...(params && { params }) };
    return this.#transport.call('Control_LoadScenario', { body }, options);
  }

  /** A scenario as a file has it. */
  loadYaml(text: string, options?: CallOptions): Promise<LoadedScenarioId> {
    return this.#transport.call('Control_LoadScenario', { body: text }, options);
  }

  /** What is at hand, and what is loaded. */
  list(options?: CallOptions): Promise<ScenarioList> {
    return this.#transport.call('Control_ListScenarios', {}, options);
  }

  /** A loaded one, by id or name: what its rules have done. */
  get(id: string, options?: CallOptions): Promise<LoadedScenario> {
    return this.#transport.call('Control_GetScenario', { path: { id } }, options);
  }

  /** Its rules are gone; the state that they set stays. Without a name, all are unloaded. */
  async unload(id?: string, options?: CallOptions): Promise<void> {
    if (id === undefined) await this.#transport.call('Control_UnloadScenarios', {}, options);
    else await this.#transport.call('Control_UnloadScenario', { path: { id } }, options);
  }
}
