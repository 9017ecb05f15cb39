import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { invalidArgument } from '../contract/errors.ts';
import type { Entry } from '../journal/entry.ts';
import { ScenarioError, Complaints } from '../scenarios/complaints.ts';
import type { StepBudget } from '../scenarios/steps.ts';
import { findTarget } from '../scenarios/target.ts';
import { globTest, pathTest } from '@understudy/text/glob';

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
  /** False once the budget is spent. */
  test: (actual: unknown, work?: StepBudget) => boolean;
}

type Part = keyof RequestMatch;

/** Throws `invalid_argument` for an operation that the contract does not have. */
export function checksOf(match: RequestMatch, contract: Contract): Check[] {
  const asSent = { ...match, ...(match.method !== undefined && { method: match.method.toUpperCase() }) };
  return PARTS.flatMap((part) => {
    const wanted = asSent[part];
    if (wanted === undefined) return [];
    const test = (TESTS[part] as TestMaker<unknown>)(wanted, contract);
    return [{ at: [part], wanted, look: (entry: Entry) => entry[part], test }];
  });
}

type TestMaker<T> = (wanted: T, contract: Contract) => Check['test'];

/** The test of each part of a call. */
const TESTS: { readonly [P in Part]-?: TestMaker<NonNullable<RequestMatch[P]>> } = {
  operation(wanted, contract) {
    const names = new Set(operationsNamed(wanted, contract).map(({ base }) => base));
    return (actual) => names.has(actual as string);
  },
  method: (wanted) => (actual) => actual === wanted,
  path: (wanted) => onText(pathTest(wanted)),
  status(wanted) {
    const pattern = wanted === 'none' ? 'undefined' : String(wanted).replace('xx', '..');
    const expression = new RegExp(`^${pattern}$`);
    return onText((text) => expression.test(text));
  },
  protocol: (wanted) => onText(globTest(wanted)),
  caller(wanted) {
    const test = globTest(wanted);
    return (actual) => Object.values((actual ?? {}) as Record<string, string>).some((id) => test(id));
  },
};

const PARTS = Object.keys(TESTS) as Part[];

const onText =
  (test: (text: string) => boolean) =>
  (actual: unknown): boolean =>
    test(String(actual));

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
