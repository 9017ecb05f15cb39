import { ApiError } from '../errors.ts';
import type { Param } from '../scenarios/params.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { ControlOperations } from './handler.ts';
import { scenariosOf } from './scenario-requests.ts';

export const scenarios = {
  async Control_ListScenarios(_, { environment, scenarios }) {
    const { library } = await scenarios();
    const available = library.available().map(({ params, ...scenario }) => ({
      ...scenario,
      params: Object.fromEntries(Object.entries(params).map(([name, param]) => [name, view(param)])),
    }));
    return { available, loaded: environment.scenarios.list() };
  },

  async Control_LoadScenario(_, context) {
    const { environment } = context; // is there, or nothing else matters
    const [scenario] = await scenariosOf(context, [[]]);
    return environment.loadScenario(scenario!);
  },

  Control_GetScenario({ path }, { environment }) {
    const scenario = environment.scenarios.find(path.id);
    if (!scenario) throw notLoaded(path.id, environment.scenarios.list());
    return scenario;
  },

  Control_UnloadScenario({ path }, { environment }) {
    const known = environment.scenarios.find(path.id);
    if (!known) throw notLoaded(path.id, environment.scenarios.list());
    environment.scenarios.unload(path.id);
    environment.news.tell({ kind: 'scenario', change: 'unloaded', name: known.name });
    return undefined;
  },

  Control_UnloadScenarios(_, { environment }) {
    const { scenarios, news } = environment;
    const names = scenarios.list().map(({ name }) => name);
    scenarios.clear();
    for (const name of names) news.tell({ kind: 'scenario', change: 'unloaded', name });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/** A parameter without a default must be given, unless it is optional. */
function view({ default: standard, optional = false, ...param }: Param) {
  const hasDefault = standard !== undefined && standard !== null;
  return { ...param, ...(hasDefault && { default: standard }), required: !hasDefault && !optional };
}

function notLoaded(id: string, loaded: readonly { name: string }[]): ApiError {
  const names = loaded.map(({ name }) => name);
  return new ApiError('not_found', `scenario ${id} is not loaded${suggestAmong(id, names)}`);
}
