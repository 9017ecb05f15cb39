import { unchecked, type ScenarioList } from '../../client/control.ts';
import { ToolError } from '../service-address.ts';
import { loadedLine } from '../reasons.ts';
import { clipped } from '../size.ts';
import { ADDS, from, LIST, optional, READS, REMOVES, SETS, TEXT, TEXTS, tool } from '../tool.ts';

const NAME = { type: 'string', minLength: 1 };
const YAML = {
  type: 'string',
  description:
    'The text of a scenario file, such as "name: down\\nrules:\\n  - on: UserService_*\\n    reply: { error: unavailable }". read_docs with page scenario-reference has the whole format.',
};
const MOST_TEXT = 12_000;

export const scenarioTools = [
  tool<{ name?: string; search?: string }>({
    name: 'list_scenarios',
    title: 'List scenarios',
    description:
      'Lists the scenarios that can be loaded (failures and states: 429, expired invitation, dropped connection, …) with their parameters, and those that are loaded with the hits of their rules. With `name`, answers one scenario with the text of its file.',
    input: {
      name: { ...NAME, description: 'Only this scenario, with its YAML text.' },
      search: { ...NAME, description: 'Only scenarios whose name or description has this text.' },
    },
    output: { available: LIST, loaded: LIST, yaml: optional(TEXT) },
    hints: READS,
    async run({ name, search = name }, { environment: { scenarios } }) {
      const { available, loaded } = await scenarios.list();
      const yaml = name === undefined ? undefined : (await scenarios.file(name)).text;
      const wanted = search?.toLowerCase() ?? '';
      const found = available.filter((each) =>
        yaml === undefined
          ? `${each.name} ${each.description}`.toLowerCase().includes(wanted)
          : each.name === name,
      );
      const shown = found.map(({ file: _, ...rest }) => rest);
      const text = [
        ...found.map(lineOf),
        ...(found.length === 0 ? [`none of ${available.length} scenarios has "${search}"`] : []),
        ...loaded.map(loadedLine),
        ...(yaml === undefined ? [] : ['', yaml]),
      ];
      const data = { available: shown, loaded, ...(yaml !== undefined && { yaml }) };
      return { text: text.join('\n'), data: clipped(data, 2 * MOST_TEXT).value };
    },
  }),

  tool<{ name?: string; params?: object; yaml?: string }>({
    name: 'load_scenario',
    title: 'Load a scenario',
    description:
      'Makes calls fail or forces a state, from the next call on, over REST and gRPC. Give `name` (and `params`) for a scenario of list_scenarios, or `yaml` for one that you write: rules with on, when, after, times, every, reply, fault, patch, do. A loaded scenario of the same name is replaced. Example, the second call fails with 429: yaml "name: second-fails\\nrules:\\n  - on: OrganizationService_CreateOrganization\\n    after: 1\\n    times: 1\\n    reply: { error: rate_limited }".',
    input: {
      name: { ...NAME, description: 'The name of a scenario of list_scenarios.' },
      params: { type: 'object', description: 'Values for the parameters of the named scenario.' },
      yaml: YAML,
    },
    output: { id: TEXT, name: TEXT, rules: LIST, warnings: optional(TEXTS) },
    hints: SETS,
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
    title: 'Unload scenarios',
    description:
      'Removes the rules of a loaded scenario, or of all. Rows that it changed stay changed: restore_snapshot or reset_environment undoes those.',
    input: { name: { ...NAME, description: 'The name or id of a loaded scenario. Without it, all.' } },
    output: { unloaded: TEXTS },
    hints: SETS,
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
    title: 'Check a scenario',
    description:
      'Checks the text of a scenario file without loading it: names every mistake with line, column and the nearest right name, and warns of rules that never apply.',
    input: { yaml: YAML },
    required: ['yaml'],
    output: { complaints: LIST, warnings: TEXTS, more: optional(TEXT) },
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
    title: 'Save a scenario file',
    description:
      'Writes a scenario into the folder that the service was started with (--scenarios), so that tests can load it by name. A scenario with mistakes is refused.',
    input: { name: from('Control_PutScenarioFile'), yaml: YAML, overwrite: from('Control_PutScenarioFile') },
    required: ['name', 'yaml'],
    output: { file: TEXT },
    hints: { ...ADDS, destructiveHint: REMOVES.destructiveHint },
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
