import { ScenarioError } from '../scenarios/complaints.ts';
import type { ControlOperations } from './handler.ts';
import { scenarioError } from './scenarios.ts';

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
