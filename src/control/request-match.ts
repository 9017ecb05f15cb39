import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../environments/entry.ts';
import { invalidArgument } from '../errors.ts';
import { Complaints } from '../scenarios/complaints.ts';
import { globExpression } from '../scenarios/path-pattern.ts';
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

export type Test = (entry: Entry) => boolean;

/** Throws `invalid_argument` for an operation that the contract does not have. */
export function testOf(match: RequestMatch, contract: Contract): Test {
  const tests: Test[] = [];
  const { operation, method, path, status } = match;
  if (operation !== undefined) tests.push(operationTest(operation, contract));
  if (method !== undefined) tests.push((entry) => entry.method === method.toUpperCase());
  if (path !== undefined) tests.push(pathTest(path));
  if (status !== undefined) tests.push(statusTest(String(status)));
  return (entry) => tests.every((test) => test(entry));
}

function operationTest(wanted: string | string[], contract: Contract): Test {
  const complaints = new Complaints('', () => ({ line: 0, column: 0 }));
  const { operations } = findTarget(wanted, ['operation'], contract.operations, complaints);
  try {
    complaints.throwIfAny();
  } catch (thrown) {
    throw thrown instanceof ScenarioError ? invalidArgument(thrown.message) : thrown;
  }
  const names = new Set(operations.map(({ base }) => base));
  return ({ operation }) => operation !== undefined && names.has(operation);
}

function pathTest(path: string): Test {
  const literals = path.split(/\{[^}]*\}/).map((text) => globExpression(text).source.slice(1, -1));
  const expression = new RegExp(`^${literals.join('[^/]+')}$`, 's');
  return (entry) => expression.test(entry.path);
}

function statusTest(status: string): Test {
  const expression = new RegExp(`^${status.replace('xx', '..')}$`);
  return (entry) => entry.status !== undefined && expression.test(String(entry.status));
}
