import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../journal/entry.ts';
import { Redaction } from '../journal/redaction.ts';
import { invalidArgument } from '../errors.ts';
import { Complaints, ScenarioError } from '../scenarios/complaints.ts';
import { findTarget } from '../scenarios/target.ts';
import { pathTest } from '../text/glob.ts';
import { isObject } from '../text/json.ts';

/** Conditions on a call; all given ones must hold. */
export interface RequestMatch {
  /** An operation's name, a glob, or a list of them. */
  operation?: string | string[];
  method?: string;
  /** A glob over the path, or a path template of the document. */
  path?: string;
  /** A status, or a class such as `4xx`. */
  status?: number | string;
}

/** One condition on a call. */
export interface Check {
  /** The path of the checked value, such as `body`, `tool_name`. */
  at: readonly string[];
  wanted: unknown;
  look: (entry: Entry) => unknown;
  test: (actual: unknown) => boolean;
}

export type EntryTest = (entry: Entry) => boolean;

/** Throws `invalid_argument` for an operation that the contract does not have. */
export function checksOf({ operation, method, path, status }: RequestMatch, contract: Contract): Check[] {
  return [
    ...(operation === undefined ? [] : [operationCheck(operation, contract)]),
    ...(method === undefined ? [] : [methodCheck(method)]),
    ...(path === undefined ? [] : [pathCheck(path)]),
    ...(status === undefined ? [] : [statusCheck(status)]),
  ];
}

export const passesAll = (entry: Entry, checks: readonly Check[]): boolean =>
  checks.every(({ look, test }) => test(look(entry)));

export function testOf(match: RequestMatch, contract: Contract): EntryTest {
  const checks = checksOf(match, contract);
  return (entry) => passesAll(entry, checks);
}

/** Operations that match a name, a glob or a list of them. Throws `invalid_argument` if there is none. */
function operationsNamed(wanted: string | string[], { operations }: Contract): readonly Operation[] {
  const complaints = new Complaints('', () => ({ line: 0, column: 0 }));
  const target = findTarget(wanted, ['operation'], operations, complaints);
  try {
    complaints.throwIfAny();
  } catch (thrown) {
    throw thrown instanceof ScenarioError ? invalidArgument(thrown.message) : thrown;
  }
  return target.operations;
}

function operationCheck(wanted: string | string[], contract: Contract): Check {
  const names = new Set(operationsNamed(wanted, contract).map(({ base }) => base));
  return {
    at: ['operation'],
    wanted,
    look: ({ operation }) => operation,
    test: (actual) => names.has(actual as string),
  };
}

const methodCheck = (method: string): Check => ({
  at: ['method'],
  wanted: method.toUpperCase(),
  look: (entry) => entry.method,
  test: (actual) => actual === method.toUpperCase(),
});

function pathCheck(path: string): Check {
  const test = pathTest(path);
  return {
    at: ['path'],
    wanted: path,
    look: (entry) => entry.path,
    test: (actual) => test(String(actual)),
  };
}

function statusCheck(status: number | string): Check {
  const expression = new RegExp(`^${String(status).replace('xx', '..')}$`);
  return {
    at: ['status'],
    wanted: status,
    look: (entry) => entry.status,
    test: (actual) => expression.test(String(actual)),
  };
}

interface NearMiss {
  id: string;
  method: string;
  path: string;
  operation?: string;
  status?: number;
  differences: { field: string; expected: unknown; actual?: unknown }[];
}

const MOST_SHOWN = 3;

/** Calls that differ in the fewest fields, with those fields; the latest first. */
export function nearestOf(entries: readonly Entry[], checks: readonly Check[], redact: boolean): NearMiss[] {
  return entries
    .map((entry) => ({ entry, failed: checks.filter(({ look, test }) => !test(look(entry))) }))
    .filter(({ failed }) => failed.length < checks.length || checks.length === 1)
    .toSorted((a, b) => differenceOf(a.failed) - differenceOf(b.failed) || b.entry.number - a.entry.number)
    .slice(0, MOST_SHOWN)
    .map(({ entry, failed }) => view(entry, failed, redact));
}

/** Another operation counts as the largest difference. */
const differenceOf = (failed: readonly Check[]) =>
  failed.reduce((sum, { at }) => sum + (at[0] === 'operation' || at[0] === 'path' ? 3 : 1), 0);

function view(entry: Entry, failed: readonly Check[], redact: boolean): NearMiss {
  const { id, method, path, operation, status, headers, query, body } = entry;
  const redaction = redact ? new Redaction({ headers, query, body }) : undefined;
  const differences = failed.map(({ at, wanted, look }) => {
    const actual = look(entry);
    return {
      field: at.join('.'),
      expected: redactValue(at, wanted, redaction),
      ...(actual !== undefined && { actual: redactValue(at, actual, redaction) }),
    };
  });
  return {
    id,
    method,
    path: redaction?.text(path) ?? path,
    ...(operation !== undefined && { operation }),
    ...(status !== undefined && { status }),
    differences,
  };
}

/** Field names on the path decide whether the value is secret. */
function redactValue(at: readonly string[], value: unknown, redaction: Redaction | undefined): unknown {
  if (!redaction) return value;
  const whole = at.slice(1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return at
    .slice(1)
    .reduce<unknown>(
      (outer, name) => (isObject(outer) && Object.hasOwn(outer, name) ? outer[name] : outer),
      redaction.value(whole),
    );
}
