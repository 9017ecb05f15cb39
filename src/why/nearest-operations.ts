import { distance } from 'fastest-levenshtein';
import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../journal/entry.ts';
import { nearest, shortened } from '@understudy/text/suggestion';
import type { Fact, Place, Reasons, Remedy } from './answer.ts';

/** Whether the call found no operation: the contract lacks its path, its RPC, or its method for that path. */
export const hasNoOperation = ({ operation, status, refusal }: Entry): boolean =>
  operation === undefined && (status === 404 || status === 405) && refusal?.why?.kind === 'protocol';

/** Explains a call that found no operation, and names the operations whose addresses are most like that of the call. */
export function noOperationReasons(entry: Entry, { contract }: Place): Reasons {
  const { method, path, protocol, status } = entry;
  if (protocol === 'grpc' || protocol === 'grpc-web' || protocol === 'connect')
    return near(`The service has no RPC ${shortened(path)}`, rpcsNear(path, contract));
  const verb = method === 'HEAD' ? 'GET' : method;
  const found = pathsNear(path, verb, contract.operations);
  if (status !== 405) return near(`The service has no path ${shortened(path)}`, found);
  const here = found.filter(({ cost }) => cost === 0);
  const methods = here.map(({ operation }) => operation.method).join(' and ');
  const others = pathsNear(
    path,
    verb,
    contract.operations.filter((each) => each.method === verb),
  );
  return near(`The path ${shortened(path)} has no ${method}, only ${methods}`, [...here, ...others]);
}

/** The document of the contract. */
const DOCUMENT = '/openapi.json';

/** Whether the remedy sends the call to another operation. The other remedies only read the document. */
export const isOtherAddress = ({ path }: Remedy): boolean => path !== DOCUMENT;

interface Candidate {
  operation: Operation;
  /** How much the path of the call differs from that of the operation. 0 if the operation takes it as it is. */
  cost: number;
  /** The operation's path with the values that the call has for its variables. Undefined if the call lacks one of them. */
  path: string | undefined;
}

const MOST_NEAR = 3;

function near(flaw: string, found: readonly Candidate[]): Reasons {
  const shown = found.slice(0, MOST_NEAR);
  const [first] = shown;
  if (!first)
    return {
      summary: `${flaw}, and none that is similar.`,
      remedies: [{ text: 'Read which operations there are.', method: 'GET', path: DOCUMENT }],
    };
  return {
    summary: `${flaw}; the nearest is ${nameOf(first.operation)}.`,
    because: shown.slice(1).map((each): Fact => ({ text: `Similar is ${nameOf(each.operation)}.` })),
    remedies: shown.map(remedyOf),
  };
}

const nameOf = ({ method, path, id, title }: Operation) => `${method} ${path} (${title ?? id})`;

const remedyOf = ({ operation, path }: Candidate): Remedy =>
  path === undefined
    ? { text: `Read what ${operation.base} takes.`, method: 'GET', path: DOCUMENT }
    : { text: `Send the call to ${operation.method} ${path} instead.`, method: operation.method, path };

/** `/scalekit.v1.users.UserService/GetUsr` names its operation nearly as the contract does. */
function rpcsNear(path: string, { operations }: Contract): Candidate[] {
  const name = path.slice(path.lastIndexOf('.') + 1).replace('/', '_');
  const id = nearest(
    name,
    operations.map(({ base }) => base),
  );
  const operation = operations.find(({ base }) => base === id);
  return operation ? [{ operation, cost: 1, path: undefined }] : [];
}

/** Longer paths are not compared. */
const LONGEST_PATH = 300;
const MOST_SEGMENTS = 20;

/** The operations whose paths are most like `path`, the nearest first. Of two with one path, that with `method` comes first. */
function pathsNear(path: string, method: string, operations: readonly Operation[]): Candidate[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (path.length > LONGEST_PATH || segments.length > MOST_SEGMENTS) return [];
  const known = new Map<string, Alignment>();
  const found = operations.flatMap((operation): Candidate[] => {
    const alignment = known.get(operation.path) ?? align(segments, operation.path.split('/').slice(1));
    known.set(operation.path, alignment);
    const { cost, values, words } = alignment;
    const most = Math.max(LEAST_ALLOWED, segments.length * LARGEST_SHARE);
    if (words <= fixedParts(operation.path) / 2 || cost > most) return [];
    return [{ operation, cost, path: values && pathWith(operation.path, values) }];
  });
  const rank = ({ cost, operation }: Candidate) => cost + (operation.method === method ? 0 : OTHER_METHOD);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

const fixedParts = (template: string) =>
  template.split('/').filter((part) => part !== '' && !BEGINNING.has(part) && !VARIABLE.test(part)).length;

/** The largest share of its segments in which a path may differ from a similar one. */
const LARGEST_SHARE = 0.4;
const LEAST_ALLOWED = 1.5;
const OTHER_METHOD = 0.05;

const VARIABLE = /^\{[^}]+\}/;

function pathWith(template: string, values: readonly string[]): string {
  const left = [...values];
  return template.replaceAll(/\{[^}]+\}/g, () => left.shift()!);
}

interface Alignment {
  cost: number;
  /** How many fixed parts the path has, beside those that all paths have. */
  words: number;
  /** The values of the variables, in order; undefined if one has none. */
  values: readonly string[] | undefined;
}

/** Costs of a segment too many, and of one that is missing. */
const [SURPLUS, ABSENT, ABSENT_VARIABLE] = [1, 1, 0.5];
/** What nearly all paths of the API begin with, and the cost if it is missing. */
const BEGINNING: ReadonlySet<string> = new Set(['api', 'v1']);
const ABSENT_BEGINNING = 0.2;

/** Compares the segments of a path with those of a template, in the way that makes the fewest changes. */
function align(segments: readonly string[], template: readonly string[]): Alignment {
  let row: Alignment[] = [{ cost: 0, words: 0, values: [] }];
  for (const part of template) row.push(absent(row.at(-1)!, part));
  for (const segment of segments) {
    const next: Alignment[] = [plus(row[0]!, SURPLUS)];
    for (const [at, part] of template.entries())
      next.push(cheapest(fit(row[at]!, segment, part), plus(row[at + 1]!, SURPLUS), absent(next[at]!, part)));
    row = next;
  }
  return row.at(-1)!;
}

const plus = (alignment: Alignment, more: number): Alignment => ({
  ...alignment,
  cost: alignment.cost + more,
});

function absent(alignment: Alignment, part: string): Alignment {
  if (VARIABLE.test(part)) return { ...plus(alignment, ABSENT_VARIABLE), values: undefined };
  return plus(alignment, BEGINNING.has(part) ? ABSENT_BEGINNING : ABSENT);
}

const cheapest = (...all: readonly Alignment[]): Alignment =>
  all.reduce((best, each) => (each.cost < best.cost ? each : best));

/** One segment of a path compared with one part of a template. A variable fits each segment at no cost. */
function fit(alignment: Alignment, segment: string, part: string): Alignment {
  const { cost, words, values } = alignment;
  const [variable] = VARIABLE.exec(part) ?? [];
  if (variable === undefined) {
    const unlike = difference(segment, part);
    const isWord = unlike < OTHER_WORD && !BEGINNING.has(part);
    return { cost: cost + unlike, words: words + (isWord ? 1 : 0), values };
  }
  const verb = part.slice(variable.length);
  const isWhole = segment.endsWith(verb) && segment.length > verb.length;
  if (!isWhole) return { ...plus(alignment, 1), values: undefined };
  const value = segment.slice(0, segment.length - verb.length);
  return { cost, words, values: values && [...values, value] };
}

/** 0 to 1, or more if no typing error makes one of the other. */
function difference(segment: string, part: string): number {
  if (segment === part) return 0;
  const slips = distance(segment.toLowerCase(), part.toLowerCase());
  const share = slips / Math.max(segment.length, part.length);
  return share > MOST_SLIPS ? OTHER_WORD : Math.max(share, LEAST);
}

const MOST_SLIPS = 0.4;
const OTHER_WORD = 2;
/** A difference of letter case is one. */
const LEAST = 0.05;
