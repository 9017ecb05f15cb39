import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../environments/entry.ts';
import { invalidArgument } from '../errors.ts';
import { Complaints } from '../scenarios/complaints.ts';
import { pathTest } from '../text/glob.ts';
import { ScenarioError } from '../scenarios/scenario-error.ts';
import { findTarget } from '../scenarios/target.ts';

/** What a call must have to count: all that is named. */
export interface RequestMatch {
  /** An operation's name or a glob; a list of them. */
  operation?: string | string[];
  method?: string;
  /** A glob over the path, or a template of the document. */
  path?: string;
  /** Or `4xx`. */
  status?: number | string;
}

/** One thing that a call must have. */
export interface Check {
  /** Where it stands, such as `body`, `tool_name`. */
  at: readonly string[];
  wanted: unknown;
  look: (entry: Entry) => unknown;
  test: (actual: unknown) => boolean;
}

export type Test = (entry: Entry) => boolean;

/** Throws `invalid_argument` for an operation that the contract does not have. */
export function checksOf({ operation, method, path, status }: RequestMatch, contract: Contract): Check[] {
  return [
    ...(operation === undefined ? [] : [operationCheck(operation, contract)]),
    ...(method === undefined ? [] : [methodCheck(method)]),
    ...(path === undefined ? [] : [pathCheck(path)]),
    ...(status === undefined ? [] : [statusCheck(status)]),
  ];
}

export const passes = (entry: Entry, checks: readonly Check[]): boolean =>
  checks.every(({ look, test }) => test(look(entry)));

export function testOf(match: RequestMatch, contract: Contract): Test {
  const checks = checksOf(match, contract);
  return (entry) => passes(entry, checks);
}

/** Those that a name, a glob or a list of them means. Throws `invalid_argument` where there is none. */
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
