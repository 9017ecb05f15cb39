import type { JournalEntry, LoadedScenario } from '@understudy/client/control';
import { hasFailed } from '../report/failed-call.ts';

export interface CallSummary extends Record<string, unknown> {
  id: string;
  time: string;
  method: string;
  path: string;
  operation: string | undefined;
  status: number | undefined;
  /** Why the refusal is no failure. */
  expected: JournalEntry['expected'] | undefined;
  /** The message of an error. */
  message: string | undefined;
  /** The scenario whose rule was applied. */
  scenario: string | undefined;
}

export function summaryOf(entry: JournalEntry): CallSummary {
  const { id, time, method, path, operation, status, expected } = entry;
  const { name: scenario } = entry.scenario;
  return { id, time, method, path, operation, status, expected, message: messageOf(entry), scenario };
}

export const callLine = ({
  id,
  method,
  path,
  operation,
  status,
  expected,
  message,
  scenario,
}: CallSummary): string =>
  [
    `${id} ${method} ${path}${operation === undefined ? '' : ` (${operation})`} → ${status ?? 'no answer'}`,
    ...(message === undefined ? [] : [`: ${message}`]),
    ...(expected === undefined ? [] : [' [no failure: the SDK gets a token after this]']),
    ...(scenario === undefined ? [] : [` [scenario ${scenario}]`]),
  ].join('');

function messageOf({ status = 0, response }: JournalEntry): string | undefined {
  if (status < 400) return undefined;
  const { message, error_description = message } = (response.body ?? {}) as Record<
    string,
    string | undefined
  >;
  return error_description;
}

const TOKEN_PROBE =
  'This is no failure: the SDK for Node makes its first call without a token, gets a token after the refusal, and makes the call again.';

interface Explanation {
  reasons: string[];
  /** What the reader may do next. */
  next: string[];
}

/** What a reader can do next, in the words of an agent's tools or of the command line. */
export interface NextSteps {
  unload(scenario: string): string;
  describe(operation: string): string;
  authenticate: string;
  listRows: string;
  findOperation: string;
}

export function reasonsOf(entry: JournalEntry, steps: NextSteps): Explanation {
  const { validation, error, operation, notes = [] } = entry;
  const message = messageOf(entry);
  const reasons = [
    ...(message === undefined ? [] : [`The answer says: ${message}`]),
    ...(entry.expected === undefined ? [] : [TOKEN_PROBE]),
    ...notes,
    ...(operation === undefined ? ['No operation of the API has this method and path.'] : []),
    ...decisions(entry),
    ...faults(entry),
    ...validation.violations.map(
      ({ field, description }) => `The request breaks the contract: ${String(field)}: ${String(description)}`,
    ),
    ...validation.unknown.map((field) => `The contract has no field ${field}; it was ignored.`),
    ...(validation.response === undefined ? [] : [`The answer broke the contract: ${validation.response}`]),
    ...interceptions(entry),
    ...(error === undefined ? [] : [`Understudy itself failed: ${error}`]),
    ...changes(entry),
  ];
  return { reasons, next: nextSteps(entry, steps).map((step) => `Next: ${step}`) };
}

function decisions({ scenario }: JournalEntry): string[] {
  const { considered, not_shown } = scenario;
  return [
    ...considered.map(({ scenario: name, rule, applied, reason }) =>
      applied
        ? `Rule ${rule} of scenario ${name} was applied: ${reason}`
        : `Rule ${rule} of scenario ${name} was not applied: ${reason}`,
    ),
    ...(not_shown === undefined ? [] : [`${not_shown} more rules were considered.`]),
    ...(considered.length === 0 ? ['No rule of a loaded scenario applies to this operation.'] : []),
  ];
}

const faults = ({ fault }: JournalEntry): string[] =>
  fault === undefined ? [] : [`A scenario delayed or broke the answer: ${JSON.stringify(fault)}`];

const interceptions = ({ interceptors = [] }: JournalEntry): string[] =>
  interceptors.flatMap(({ trigger_point, url, decision, policy, error, warnings = [] }) => {
    const who = `The interceptor for ${trigger_point} at ${url}`;
    const by = policy === undefined ? '' : ` by its policy ${policy}`;
    return [
      `${who} decided ${decision}${by}${error === undefined ? '' : `: ${error}`}`,
      ...warnings.map((warning) => `${who}: ${warning}`),
    ];
  });

const MOST_CHANGES = 10;

function changes(entry: JournalEntry): string[] {
  const steps = entry.changes;
  if (steps.length === 0) return ['It changed nothing.'];
  const words = { add: 'added', remove: 'removed', replace: 'changed' };
  const shown = steps.slice(0, MOST_CHANGES).map(({ op, path }) => `${words[op]} ${path.slice(1)}`);
  const rest = steps.length - shown.length;
  return [`It ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`];
}

/** Nothing has to be done about a call that succeeded, or whose refusal is no failure. */
function nextSteps(entry: JournalEntry, steps: NextSteps): string[] {
  const { status, scenario, operation, validation } = entry;
  if (scenario.name !== undefined) return [steps.unload(scenario.name)];
  if (!hasFailed(entry)) return [];
  if (operation === undefined) return [steps.findOperation];
  if (validation.violations.length > 0) return [steps.describe(operation)];
  if (status === 401) return [steps.authenticate];
  return status === 404 ? [steps.listRows] : [];
}

/** Such as `scenario x is loaded; rules[0] on "A": seen 2, hits 1, remaining 0`. */
export function loadedLine({ name, rules }: LoadedScenario): string {
  const each = rules.map(
    ({ on, seen, hits, remaining }, rule) =>
      `rules[${rule}] on ${JSON.stringify(on)}: seen ${seen}, hits ${hits}${remaining === undefined ? '' : `, remaining ${remaining}`}`,
  );
  return [`scenario ${name} is loaded`, ...each].join('; ');
}
