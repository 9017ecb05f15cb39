import { ApiError } from '../contract/errors.ts';
import { formatComplaint, ScenarioError } from '../scenarios/complaints.ts';
import type { Param } from '../scenarios/params.ts';
import { ScenarioText } from '../scenarios/scenario-text.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { nextTurn, runInTurns } from '../scenarios/steps.ts';
import { suggestAmong } from '@understudy/text/suggestion';
import type { ControlContext, ControlOperations } from './handler.ts';

export const scenarios = {
  async Control_ListScenarios(_, { environment, scenarios }) {
    const { library } = await scenarios();
    const all = await runInTurns(library.availableInSteps());
    const available = all.map(({ params, ...scenario }) => ({
      ...scenario,
      params: Object.fromEntries(Object.entries(params).map(([name, param]) => [name, view(param)])),
    }));
    return { available, loaded: environment.scenarios.list() };
  },

  async Control_LoadScenario(_, context) {
    const { environment } = context; // Fails first if the environment does not exist.
    const [scenario] = await scenariosOf(context, [[]]);
    return environment.loadScenarioInTurns(scenario!);
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
    environment.activity.publish({ kind: 'scenario', change: 'unloaded', name: known.name });
    return undefined;
  },

  Control_UnloadScenarios(_, { environment }) {
    const { scenarios, activity } = environment;
    const names = scenarios.list().map(({ name }) => name);
    scenarios.clear();
    for (const name of names) activity.publish({ kind: 'scenario', change: 'unloaded', name });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/** A parameter without a default is required unless it is optional. */
function view({ default: standard, optional = false, ...param }: Param) {
  const hasDefault = standard !== undefined && standard !== null;
  return { ...param, ...(hasDefault && { default: standard }), required: !hasDefault && !optional };
}

function notLoaded(id: string, loaded: readonly { name: string }[]): ApiError {
  const names = loaded.map(({ name }) => name);
  return new ApiError('not_found', `scenario ${id} is not loaded${suggestAmong(id, names)}`);
}

/** Paths of the scenarios in the request body; none: the body itself is one. */
type ScenarioPaths = readonly (string | number)[][];

/** Reads the scenarios from the text of the request, because errors name line and column. */
export async function scenariosOf(
  { scenarios, bodyText }: Pick<ControlContext, 'scenarios' | 'bodyText'>,
  places: ScenarioPaths,
): Promise<Scenario[]> {
  if (places.length === 0) return [];
  const { library } = await scenarios();
  try {
    const text = await runInTurns(ScenarioText.inSteps(bodyText, 'request body'));
    const read: Scenario[] = [];
    for (const place of places) read.push(await runInTurns(library.readRequested(text, place)));
    await nextTurn();
    return read;
  } catch (thrown) {
    throw thrown instanceof ScenarioError ? scenarioError(thrown) : thrown;
  }
}

/** The message contains all complaints, one per line; the violations list them separately. */
const scenarioError = ({ message, complaints, more }: ScenarioError) =>
  new ApiError('invalid_argument', message, {
    violations: [
      ...complaints.map((complaint) => ({
        field: complaint.path,
        description: formatComplaint({ ...complaint, path: '' }),
        constraint: 'scenario',
      })),
      ...more.map((description) => ({ field: '', description, constraint: 'scenario' })),
    ],
  });

export const scenarioFiles = {
  async Control_LintScenario(_, { scenarios, bodyText }) {
    const { reader } = await scenarios();
    try {
      const { warnings = [] } = await reader.check(bodyText, 'scenario');
      return { complaints: [], warnings };
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      return {
        complaints: thrown.complaints.map(({ file: _file, ...complaint }) => complaint),
        ...(thrown.more.length > 0 && { more: thrown.more.join('; ') }),
        warnings: [],
      };
    }
  },

  async Control_GetScenarioFile({ path }, { scenarios }) {
    return (await scenarios()).files.read(path.name);
  },

  async Control_PutScenarioFile({ path, query }, { scenarios, bodyText }) {
    const { files } = await scenarios();
    try {
      return await files.save(path.name, bodyText, query.overwrite === true);
    } catch (thrown) {
      throw thrown instanceof ScenarioError ? scenarioError(thrown) : thrown;
    }
  },
} satisfies Partial<ControlOperations>;
