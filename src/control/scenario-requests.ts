import { ApiError } from '../errors.ts';
import { formatComplaint, ScenarioError } from '../scenarios/scenario-error.ts';
import { ScenarioText } from '../scenarios/scenario-text.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { aTurn, inTurns } from '../scenarios/steps.ts';
import type { ControlContext } from './handler.ts';

/** Places in the body of a request where scenarios stand; none: the body is one. */
type Places = readonly (string | number)[][];

/** The scenarios of a request. They are read from its text, which knows lines and columns. */
export async function scenariosOf(
  { scenarios, bodyText }: Pick<ControlContext, 'scenarios' | 'bodyText'>,
  places: Places,
): Promise<Scenario[]> {
  if (places.length === 0) return [];
  const { library } = await scenarios();
  try {
    const text = new ScenarioText(bodyText, 'request body');
    await aTurn();
    const read: Scenario[] = [];
    for (const place of places) read.push(await inTurns(library.readRequested(text, place)));
    return read;
  } catch (thrown) {
    throw thrown instanceof ScenarioError ? refusal(thrown) : thrown;
  }
}

/** Its message has everything, one complaint a line; its violations have the same apart. */
const refusal = ({ message, complaints, more }: ScenarioError) =>
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
