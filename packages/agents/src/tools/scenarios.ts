import { unchecked, type ScenarioList } from '@understudy/client/control';
import { shortened } from '@understudy/text/suggestion';
import { searchByWords } from '@understudy/text/word-search';
import { ToolError } from '../service-address.ts';
import { loadedLine } from '../status.ts';
import { clipped } from '../size.ts';
import { ADDS, from, NONE, READS, REMOVES, tool } from '../tool.ts';

const NAME = { type: 'string', minLength: 1 };
const YAML = {
  type: 'string',
  description: 'The text of a scenario file; its format: read_docs with page scenario-reference',
};
const MOST_TEXT = 12_000;

export const scenarioTools = [
  tool<{ name?: string; search?: string }>({
    name: 'list_scenarios',
    description:
      'Lists the scenarios that can be loaded (failures and states: 429, expired invitation, …) with their parameters, and those that are loaded with the hits of their rules.',
    input: {
      name: { ...NAME, description: 'Only this one, with its text' },
      search: { ...NAME, description: 'Plain words' },
    },
    hints: READS,
    async run({ name, search }, { environment: { scenarios } }) {
      const { available, loaded } = await scenarios.list();
      const yaml = name === undefined ? undefined : (await scenarios.file(name)).text;
      const found =
        name !== undefined
          ? available.filter((each) => each.name === name)
          : search === undefined
            ? available
            : searchByWords(
                search,
                available.map((each) => ({ ...each, text: each.description })),
              );
      const shown = found.map(({ name: each, description, params }) => ({ name: each, description, params }));
      const text = [
        ...found.map(lineOf),
        ...(found.length === 0
          ? [`none of ${available.length} scenarios has "${shortened(search ?? name!)}"`]
          : []),
        ...loaded.map(loadedLine),
        ...(yaml === undefined ? [] : ['', yaml]),
      ];
      const data = { available: shown, loaded, yaml };
      return { text: text.join('\n'), data: clipped(data, 2 * MOST_TEXT).value };
    },
  }),

  tool<{ name?: string; params?: object; yaml?: string }>({
    name: 'load_scenario',
    description:
      'Makes calls fail or forces a state, from the next call on. Give `name` (and `params`), or `yaml` of your own: rules with on, when, after, times, every, reply, fault, patch, do. Replaces a loaded one of the same name. The second call fails with 429: "name: second-fails\\nrules:\\n  - on: OrganizationService_CreateOrganization\\n    after: 1\\n    times: 1\\n    reply: { error: rate_limited }".',
    input: {
      name: { ...NAME, description: 'A scenario of list_scenarios' },
      params: { type: 'object', description: 'Values for its parameters' },
      yaml: YAML,
    },
    hints: ADDS,
    async run({ name, params, yaml }, { environment: { scenarios, name: environment } }) {
      if ((name === undefined) === (yaml === undefined))
        throw new ToolError('give either name, for a scenario of list_scenarios, or yaml');
      if (yaml !== undefined && params !== undefined)
        throw new ToolError('params: only a scenario that `name` names takes parameters');
      const { id, warnings = [] } =
        yaml === undefined
          ? await scenarios.load(unchecked(name!), params ?? {})
          : await scenarios.loadYaml(yaml);
      const loaded = await scenarios.get(id);
      const undo = `To undo it: unload_scenario with name ${loaded.name}.`;
      return {
        text: [`In environment ${environment}, ${loadedLine(loaded)}`, ...warnings, undo].join('\n'),
        data: { ...loaded, ...(warnings.length > 0 && { warnings }) },
      };
    },
  }),

  tool<{ name?: string }>({
    name: 'unload_scenario',
    description: 'Removes the rules of a loaded scenario. Rows that it changed stay changed.',
    input: { name: { ...NAME, description: 'Without it: all' } },
    hints: ADDS,
    async run({ name }, { environment: { scenarios } }) {
      const { loaded } = await scenarios.list();
      await scenarios.unload(name);
      const unloaded = loaded
        .filter((each) => name === undefined || each.name === name || each.id === name)
        .map((each) => each.name);
      const text = unloaded.length === 0 ? 'No scenario was loaded.' : `Unloaded: ${unloaded.join(', ')}.`;
      return { text, data: { unloaded } };
    },
  }),

  tool<{ yaml: string }>({
    name: 'check_scenario',
    description:
      'Checks the text of a scenario without loading it: names each mistake with its line and the nearest right name.',
    input: { yaml: YAML },
    required: ['yaml'],
    hints: READS,
    async run({ yaml }, { environment: { scenarios } }) {
      const linted = await scenarios.lint(yaml);
      const lines = [
        ...linted.complaints.map(
          ({ line, column, path, message }) => `${line}:${column} ${path && `${path}: `}${message}`,
        ),
        ...linted.warnings.map((warning) => `warning: ${warning}`),
        ...(linted.more === undefined ? [] : [linted.more]),
      ];
      return { text: lines.join('\n') || 'The scenario is valid.', data: { ...linted } };
    },
  }),

  tool<{ name: string; yaml: string; overwrite?: boolean }>({
    name: 'save_scenario',
    description:
      'Writes a scenario without mistakes into the folder of --scenarios, so that tests can load it by name.',
    input: {
      name: from('Control_PutScenarioFile', { description: NONE }),
      yaml: YAML,
      overwrite: from('Control_PutScenarioFile', { description: 'Replaces the file' }),
    },
    required: ['name', 'yaml'],
    hints: REMOVES,
    async run({ name, yaml, overwrite = false }, { environment: { scenarios } }) {
      const file = await scenarios.save(name, yaml, { overwrite });
      return { text: `Written to ${file}.`, data: { file } };
    },
  }),
];

function lineOf({ name, description, params }: ScenarioList['available'][number]): string {
  const shown = Object.entries(params).map(([key, { default: standard, required }]) => {
    if (standard !== undefined) return `${key}=${JSON.stringify(standard)}`;
    return required ? `${key} (required)` : key;
  });
  return `${name}: ${description}${shown.length > 0 ? ` Parameters: ${shown.join(', ')}.` : ''}`;
}
