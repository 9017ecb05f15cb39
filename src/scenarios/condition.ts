import { isObject } from '../text/json.ts';
import {
  member,
  createTest,
  isOperators,
  keysOf,
  memberOf,
  textsOf,
  type ComparisonKind,
  type ValueTest,
} from './operators.ts';
import type { CallFacts } from './call-facts.ts';
import { globTest } from '../text/glob.ts';
import type { Path } from './path.ts';
import { StepBudget } from './steps.ts';

/** What a call must have to match a rule: every named member, as a plain value or with operators. */
export type Condition = {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  caller?: Record<string, unknown>;
  protocol?: unknown;
  /** For webhooks and interceptors: the address that is called. */
  to?: unknown;
};

/** One requirement for a call. */
export interface Requirement {
  /** For example `when`, `body`, `tool_name`. */
  readonly at: Path;
  /** As the scenario file has it. */
  readonly wanted: unknown;
  readonly read: (facts: CallFacts) => unknown;
  readonly test: ValueTest;
  /** The only values that match, if known; used as an index. */
  readonly keys: readonly unknown[] | undefined;
}

/** False once the budget is spent. */
export const meets = (
  facts: CallFacts,
  requirements: readonly Requirement[],
  work = new StepBudget(),
): boolean => requirements.every(({ read, test }) => test(read(facts), work) && !work.isSpent);

type ReadFact = (facts: CallFacts) => unknown;

/** The condition must be checked before. */
export function readCondition(condition: Condition): Requirement[] {
  const { path = {}, query = {}, headers = {}, caller = {}, body, protocol, to } = condition;
  return [
    ...readTexts(path, 'path', (name) => (facts) => textOf(member(facts.params, name))),
    ...readTexts(query, 'query', (name) => (facts) => textOf(member(facts.query, name))),
    ...readTexts(headers, 'headers', headerReader),
    ...readTexts(caller, 'caller', (name) => (facts) => memberOf(facts.caller, name)),
    ...(body === undefined ? [] : readMembers(body, ['body'], (facts) => facts.body)),
    ...(protocol === undefined
      ? []
      : [requirement(protocol, { at: ['protocol'], kind: 'text', look: (facts) => facts.protocol })]),
    ...(to === undefined ? [] : [readAddress(to)]),
  ];
}

/** For `on.path`, where `*` matches any text. */
export const readPath = (glob: string): Requirement =>
  globRequirement(glob, ['on', 'path'], ({ path }) => (path.endsWith('/') ? path.slice(0, -1) : path));

/** In a plain text, `*` matches any text. */
function readAddress(to: unknown): Requirement {
  const read: ReadFact = (facts) => facts.to;
  if (typeof to === 'string') return globRequirement(to, ['when', 'to'], read);
  return requirement(to, { at: ['to'], kind: 'text', look: read });
}

function globRequirement(glob: string, at: Path, read: ReadFact): Requirement {
  const test = globTest(glob);
  const keys = glob.includes('*') ? undefined : [glob];
  return { at, wanted: glob, read, test: (text) => test(String(text)), keys };
}

const readTexts = (
  wanted: Record<string, unknown>,
  part: string,
  reader: (name: string) => ReadFact,
): Requirement[] =>
  Object.entries(wanted).map(([name, value]) =>
    requirement(value, { at: [part, name], kind: 'text', look: reader(name) }),
  );

/** One requirement for each member, nested ones too, so that each has its own reason. */
function readMembers(wanted: unknown, at: Path, read: ReadFact): Requirement[] {
  const members = isObject(wanted) && !isOperators(wanted) ? Object.entries(wanted) : [];
  if (members.length === 0) return [requirement(wanted, { at, kind: 'json', look: read })];
  return members.flatMap(([name, value]) =>
    readMembers(value, [...at, name], (facts) => memberOf(read(facts), name)),
  );
}

function requirement(
  wanted: unknown,
  { at, kind, look: read }: { at: Path; kind: ComparisonKind; look: ReadFact },
): Requirement {
  return {
    at: ['when', ...at],
    wanted,
    read,
    test: createTest(wanted, kind),
    keys: keysOf(wanted, kind),
  };
}

/** Node's header names are in lower case; gRPC metadata may differ. */
function headerReader(name: string): ReadFact {
  const lower = name.toLowerCase();
  return ({ headers }) => {
    const found = Object.hasOwn(headers, lower)
      ? lower
      : Object.keys(headers).find((each) => each.toLowerCase() === lower);
    const texts = found === undefined ? [] : textsOf(headers[found]);
    return texts.length === 0 ? undefined : texts.join(', ');
  };
}

/** A text, or a list of texts for a repeated parameter. */
function textOf(value: unknown): string | string[] | undefined {
  if (typeof value === 'string') return value;
  const texts = textsOf(value);
  return texts.length > 1 ? texts : texts[0];
}
