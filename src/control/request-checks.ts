import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { invalidArgument } from '../errors.ts';
import type { Entry } from '../journal/entry.ts';
import { ScenarioError, Complaints } from '../scenarios/complaints.ts';
import { findTarget } from '../scenarios/target.ts';
import { globTest, pathTest } from '../text/glob.ts';

/** Conditions on a call; all given ones must hold. */
export interface RequestMatch {
  /** An operation's name, a glob, or a list of them. */
  operation?: string | string[];
  method?: string;
  /** A glob over the path, or a path template of the document. */
  path?: string;
  /** A status, a class such as `4xx`, or `none`. */
  status?: number | string;
  /** A protocol, or a glob over it. */
  protocol?: string;
  /** The id of a client, a user or a directory, or a glob over it. */
  caller?: string;
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
export function checksOf(match: RequestMatch, contract: Contract): Check[] {
  const { operation, method, path, status, protocol, caller } = match;
  return [
    ...(operation === undefined ? [] : [operationCheck(operation, contract)]),
    ...(method === undefined ? [] : [methodCheck(method)]),
    ...(path === undefined ? [] : [pathCheck(path)]),
    ...(status === undefined ? [] : [statusCheck(status)]),
    ...(protocol === undefined ? [] : [protocolCheck(protocol)]),
    ...(caller === undefined ? [] : [callerCheck(caller)]),
  ];
}

export const passesAll = (entry: Entry, checks: readonly Check[]): boolean =>
  checks.every(({ look, test }) => test(look(entry)));

/**
 * Operations that match a name, a glob or a list of them. In a glob, upper and lower case are the same. Throws
 * `invalid_argument` if there is none.
 */
function operationsNamed(wanted: string | string[], { operations }: Contract): readonly Operation[] {
  if (typeof wanted === 'string' && wanted.includes('*')) {
    const test = globTest(wanted.toLowerCase());
    const found = operations.filter(({ base }) => test(base.toLowerCase()));
    if (found.length > 0) return found;
  }
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
  const expression =
    status === 'none' ? /^undefined$/ : new RegExp(`^${String(status).replace('xx', '..')}$`);
  return {
    at: ['status'],
    wanted: status,
    look: (entry) => entry.status,
    test: (actual) => expression.test(String(actual)),
  };
}

function protocolCheck(protocol: string): Check {
  const test = globTest(protocol);
  return {
    at: ['protocol'],
    wanted: protocol,
    look: (entry) => entry.protocol,
    test: (actual) => test(String(actual)),
  };
}

function callerCheck(caller: string): Check {
  const test = globTest(caller);
  return {
    at: ['caller'],
    wanted: caller,
    look: (entry) => entry.caller,
    test: (actual) => Object.values((actual ?? {}) as Record<string, string>).some((id) => test(id)),
  };
}
