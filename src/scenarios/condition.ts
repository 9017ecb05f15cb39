import { includes, member } from './matching.ts';
import type { CallFacts } from './script.ts';

type Scalar = string | number | boolean;

/** What a call must have for a rule to match: all that is named. */
export interface Condition {
  path?: Record<string, Scalar>;
  query?: Record<string, Scalar | Scalar[]>;
  body?: Record<string, unknown>;
  headers?: Record<string, Scalar>;
  caller?: { client_id?: string; organization_id?: string };
  protocol?: string;
}

export function meets(facts: CallFacts, condition: Condition): boolean {
  const { path, query, body, headers, caller, protocol } = condition;
  return (
    (protocol === undefined || facts.protocol === protocol) &&
    (path === undefined || sameTexts(facts.params, path)) &&
    (query === undefined || sameTexts(facts.query, query)) &&
    (caller === undefined || includes(facts.caller, caller)) &&
    (body === undefined || includes(facts.body, body)) &&
    (headers === undefined || sameHeaders(facts.headers, headers))
  );
}

/** Parameters come as text, those that repeat as lists of it. */
const sameTexts = (given: Readonly<Record<string, unknown>>, wanted: Record<string, Scalar | Scalar[]>) =>
  Object.entries(wanted).every(([name, value]) => {
    const actual = textsOf(member(given, name));
    const expected = textsOf(value);
    return actual.length === expected.length && actual.every((text, index) => text === expected[index]);
  });

const sameHeaders = (given: Readonly<Record<string, unknown>>, wanted: Record<string, Scalar>) =>
  Object.entries(wanted).every(([name, value]) => {
    const actual = textsOf(findHeader(given, name));
    return actual.length > 0 && actual.join(', ') === String(value);
  });

/** Node's names are in lower case; those of other carriers may be in any. */
function findHeader(given: Readonly<Record<string, unknown>>, name: string): unknown {
  const lower = name.toLowerCase();
  if (Object.hasOwn(given, lower)) return given[lower];
  const found = Object.keys(given).find((each) => each.toLowerCase() === lower);
  return found === undefined ? undefined : given[found];
}

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value])
    .filter((each) => each !== undefined)
    .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
