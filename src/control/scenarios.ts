import { closest } from 'fastest-levenshtein';
import { ApiError, invalidArgument } from '../errors.ts';
import { ScenarioError } from '../scenarios/scenario-error.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { ScenarioShelf } from '../scenarios/shelf.ts';
import type { ControlOperations } from './handler.ts';

export const scenarios = {
  async Control_ListScenarios(_, { environment, scenarios }) {
    const { library } = await scenarios();
    return { available: library.available(), loaded: environment.scenarios.list() };
  },

  async Control_LoadScenario({ body }, { environment, scenarios }) {
    return environment.loadScenario(read(body, await scenarios()));
  },

  Control_GetScenario({ path }, { environment }) {
    const scenario = environment.scenarios.find(path.id);
    if (!scenario) throw notLoaded(path.id, environment.scenarios.list());
    return scenario;
  },

  Control_UnloadScenario({ path }, { environment }) {
    if (!environment.scenarios.unload(path.id)) throw notLoaded(path.id, environment.scenarios.list());
    return undefined;
  },

  Control_UnloadScenarios(_, { environment }) {
    environment.scenarios.clear();
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/** A name alone is a file's; anything more is the scenario itself, as JSON or YAML. */
function read(body: unknown, { reader, library }: ScenarioShelf): Scenario {
  try {
    if (typeof body === 'string') return reader.read(body, 'request body');
    const { name, ...rest } = body as Record<string, unknown>;
    if (typeof name === 'string' && Object.keys(rest).length === 0) return library.read(name);
    return reader.readValue(body);
  } catch (thrown) {
    throw thrown instanceof ScenarioError ? invalidArgument(thrown.message) : thrown;
  }
}

function notLoaded(id: string, loaded: readonly { name: string }[]): ApiError {
  const names = loaded.map(({ name }) => name);
  const hint = names.length > 0 ? `; did you mean ${closest(id, names)}?` : ', none is';
  return new ApiError('not_found', `scenario ${id} is not loaded${hint}`);
}
