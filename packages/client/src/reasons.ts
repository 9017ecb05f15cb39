import type { JournalEntry } from './control.ts';
import { hasFailed } from './failed-call.ts';

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
  /** What lists and applies remedies of the call. */
  fix(call: string): string;
}

/** `entry`: with its `why`, as `GET /requests/{id}` answers it. */
export function reasonsOf(entry: JournalEntry, steps: NextSteps): Explanation {
  const { validation, error, why, notes = [], scenario } = entry;
  const reasons = [
    ...(why ? [why.summary, ...why.because.map(({ text }) => text)] : []),
    ...notes,
    ...(scenario.not_shown === undefined ? [] : [`${scenario.not_shown} more rules were considered.`]),
    ...faults(entry),
    ...validation.unknown.map((field) => `The contract has no field ${field}; it was ignored.`),
    ...(validation.response === undefined ? [] : [`The answer broke the contract: ${validation.response}`]),
    ...warnings(entry),
    ...(error === undefined ? [] : [`Understudy itself failed: ${error}`]),
    ...changes(entry),
  ];
  return { reasons, next: nextSteps(entry, steps).map((step) => `Next: ${step}`) };
}

const faults = ({ fault }: JournalEntry): string[] =>
  fault === undefined ? [] : [`A scenario delayed or broke the answer: ${JSON.stringify(fault)}`];

const warnings = ({ interceptors = [] }: JournalEntry): string[] =>
  interceptors.flatMap(({ interceptor_id, warnings: found = [] }) =>
    found.map((warning) => `Interceptor ${interceptor_id}: ${warning}`),
  );

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
  if (!hasFailed(entry) || !entry.why) return scenarioSteps(entry, steps);
  return [...failureSteps(entry, entry.why, steps), steps.fix(entry.id)];
}

const scenarioSteps = ({ scenario }: JournalEntry, steps: NextSteps): string[] =>
  scenario.name === undefined ? [] : [steps.unload(scenario.name)];

function failureSteps(entry: JournalEntry, why: Why, steps: NextSteps): string[] {
  const { scenario, operation } = entry;
  if (scenario.name !== undefined) return scenarioSteps(entry, steps);
  if (operation === undefined) return [steps.findOperation];
  if (why.kind === 'contract') return [steps.describe(operation)];
  if (why.kind === 'authentication') return [steps.authenticate];
  const listed = why.kind === 'unknown' ? [steps.listRows] : [];
  return [...why.remedies.map(remedyLine), ...listed];
}

function remedyLine({ text, method, path, body, environment }: Remedy): string {
  const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
  const where = environment === undefined ? '' : ` in environment ${environment}`;
  return `${text} ${method} ${path}${sent}${where}`;
}

type Why = NonNullable<JournalEntry['why']>;
type Remedy = Why['remedies'][number];
