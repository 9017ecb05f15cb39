import type { Clock, JournalEntry, Mail } from '../../client/control.ts';

/** A call, as the activity feed or the journal has it. */
type CallSummary = Pick<JournalEntry, 'id' | 'method' | 'path' | 'operation' | 'status' | 'duration_ms'>;

export const requestLine = ({
  method,
  path,
  status,
  operation = '-',
  duration_ms,
  id,
}: CallSummary): string => `${status ?? '-'} ${method} ${path} ${operation} ${duration_ms} ms ${id}`;

/** Why the call was answered as it was: the message, violations, scenario rules and interceptors. */
export function reasonLines({ status = 0, response, validation, scenario, error }: JournalEntry): string[] {
  const { message, error_description = message } = (response.body ?? {}) as Record<string, string>;
  const { violations, unknown } = validation;
  return [
    ...(status >= 400 && error_description ? [error_description] : []),
    ...violations.map(({ field, description }) => `${String(field)}: ${String(description)}`),
    ...unknown.map((field) => `${field}: the contract has no such field`),
    ...scenario.considered.map(
      ({ scenario: name, rule, applied, reason }) =>
        `scenario ${name}, rules[${rule}]: ${applied ? 'applied' : reason}`,
    ),
    ...(error === undefined ? [] : [error]),
  ].map((line) => `    ${line}`);
}

export function mailLines({ kind, to, subject, id, code, link }: Mail): string[] {
  return [
    `mail ${kind} to ${to}: ${subject} (${id})`,
    ...(code === undefined ? [] : [`    code ${code}`]),
    ...(link === undefined ? [] : [`    link ${link}`]),
  ];
}

/** A delivery, as the activity feed has it. */
export interface DeliverySummary {
  id: string;
  endpoint_id: string;
  event_type: string;
  status: string;
  attempts: number;
}

export const deliveryLine = ({ event_type, status, endpoint_id, id, attempts }: DeliverySummary): string =>
  `webhook ${event_type} to ${endpoint_id}: ${status}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} (${id})`;

/** The changes of one unit of work, as the activity feed has them. */
export interface StateChanges {
  changes: readonly { op: string; path: string }[];
}

const CHANGED: Readonly<Record<string, string>> = { add: 'created', replace: 'changed', remove: 'deleted' };

export const stateLines = ({ changes }: StateChanges): string[] =>
  changes.map(({ op, path }) => `state ${path}: ${CHANGED[op] ?? op}`);

export function clockLine({ mode, now, offset_ms }: Clock): string {
  if (mode === 'real') return `${now} (the time of this machine)`;
  return `${now} (${mode === 'frozen' ? 'frozen' : `offset ${durationText(offset_ms ?? 0)}`})`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** In the largest unit without a remainder, such as `25h`, as `clock advance` takes it. */
function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000) * 1000;
  const [unit, length] = UNITS.find(([, each]) => seconds !== 0 && seconds % each === 0) ?? ['s', 1000];
  return `${seconds / length}${unit}`;
}

/** An activity of another kind: a scenario, a snapshot, an environment, a reset, or the end. */
export interface ChangeSummary {
  change?: string;
  name?: string;
  from?: string;
  rule?: number;
  request?: string;
  parts?: readonly string[];
  reason?: string;
}

export function changeLine(kind: string, summary: ChangeSummary): string {
  const { change, name, from, rule, request, parts, reason } = summary;
  if (rule !== undefined) return `${kind} ${name}, rules[${rule}]: ${change} to ${request}`;
  if (parts !== undefined) return `reset of ${parts.join(', ')}`;
  if (reason !== undefined) return `the environment has ended: ${reason}`;
  if (change === undefined) return `${kind} ${JSON.stringify(summary)}`;
  return `${kind} ${name}: ${change}${from === undefined ? '' : ` from ${from}`}`;
}
