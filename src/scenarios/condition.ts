import { isObject } from '../text/json.ts';
import { member } from './matching.ts';
import { createTest, isOperators, keysOf, memberOf, textsOf, type Kind, type Test } from './operators.ts';
import type { CallFacts } from './script.ts';
import { globTest } from '../text/glob.ts';
import type { Path } from './path.ts';
import { Work } from './steps.ts';

/** What a call must have for a rule to match: all that is named, as plain values or by operators. */
export type Condition = {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  caller?: Record<string, unknown>;
  protocol?: unknown;
  /** Of what is sent: the address of whoever is called. */
  to?: unknown;
};

/** One thing that a call must have. */
export interface Demand {
  /** Such as `when`, `body`, `tool_name`. */
  readonly at: Path;
  /** As it is written. */
  readonly wanted: unknown;
  readonly look: (facts: CallFacts) => unknown;
  readonly test: Test;
  /** The only values that pass, where that can be told; for an index. */
  readonly keys: readonly unknown[] | undefined;
}

/** Nothing is met once the work is spent. */
export const meets = (facts: CallFacts, demands: readonly Demand[], work = new Work()): boolean =>
  demands.every(({ look, test }) => test(look(facts), work) && !work.isSpent);

type Look = (facts: CallFacts) => unknown;

/** The condition must have passed its checks. */
export function readCondition(condition: Condition): Demand[] {
  const { path = {}, query = {}, headers = {}, caller = {}, body, protocol, to } = condition;
  return [
    ...readTexts(path, 'path', (name) => (facts) => textOf(member(facts.params, name))),
    ...readTexts(query, 'query', (name) => (facts) => textOf(member(facts.query, name))),
    ...readTexts(headers, 'headers', headerReader),
    ...readTexts(caller, 'caller', (name) => (facts) => memberOf(facts.caller, name)),
    ...(body === undefined ? [] : readMembers(body, ['body'], (facts) => facts.body)),
    ...(protocol === undefined
      ? []
      : [demand(protocol, { at: ['protocol'], kind: 'text', look: (facts) => facts.protocol })]),
    ...(to === undefined ? [] : [readAddress(to)]),
  ];
}

/** The path of the call itself, where `*` is any text. */
export const readPath = (glob: string): Demand =>
  globDemand(glob, ['on', 'path'], ({ path }) => (path.endsWith('/') ? path.slice(0, -1) : path));

/** Of whoever is called; in a plain text, `*` is any text. */
function readAddress(to: unknown): Demand {
  const look: Look = (facts) => facts.to;
  if (typeof to === 'string') return globDemand(to, ['when', 'to'], look);
  return demand(to, { at: ['to'], kind: 'text', look });
}

function globDemand(glob: string, at: Path, look: Look): Demand {
  const test = globTest(glob);
  const keys = glob.includes('*') ? undefined : [glob];
  return { at, wanted: glob, look, test: (text) => test(String(text)), keys };
}

const readTexts = (
  wanted: Record<string, unknown>,
  place: string,
  reader: (name: string) => Look,
): Demand[] =>
  Object.entries(wanted).map(([name, value]) =>
    demand(value, { at: [place, name], kind: 'text', look: reader(name) }),
  );

/** One for each member, and for those of objects in it, so that each can be told apart. */
function readMembers(wanted: unknown, at: Path, look: Look): Demand[] {
  const members = isObject(wanted) && !isOperators(wanted) ? Object.entries(wanted) : [];
  if (members.length === 0) return [demand(wanted, { at, kind: 'json', look })];
  return members.flatMap(([name, value]) =>
    readMembers(value, [...at, name], (facts) => memberOf(look(facts), name)),
  );
}

function demand(wanted: unknown, { at, kind, look }: { at: Path; kind: Kind; look: Look }): Demand {
  return {
    at: ['when', ...at],
    wanted,
    look,
    test: createTest(wanted, kind),
    keys: keysOf(wanted, kind),
  };
}

/** Node's names are in lower case; those of other carriers may be in any. */
function headerReader(name: string): Look {
  const lower = name.toLowerCase();
  return ({ headers }) => {
    const found = Object.hasOwn(headers, lower)
      ? lower
      : Object.keys(headers).find((each) => each.toLowerCase() === lower);
    const texts = found === undefined ? [] : textsOf(headers[found]);
    return texts.length === 0 ? undefined : texts.join(', ');
  };
}

/** A text, or a list of them where a parameter comes more than once. */
function textOf(value: unknown): string | string[] | undefined {
  if (typeof value === 'string') return value;
  const texts = textsOf(value);
  return texts.length > 1 ? texts : texts[0];
}
