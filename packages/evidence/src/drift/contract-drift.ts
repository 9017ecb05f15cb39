import {
  emptyComparison,
  shown,
  verdictOf,
  type Comparison,
  type Difference,
  type Finding,
} from './difference.ts';
import type { Fields, PublishedDocument, PublishedOperation } from './published-document.ts';

/** The side of a call whose fields are compared. */
type Side = 'parameters' | 'request' | 'response';

/** What a published document of the service has, and what Understudy's contract has: by operation and field. */
export function contractDrift(theirs: PublishedDocument, ours: PublishedDocument): Comparison {
  const result = emptyComparison();
  const tell = (subject: string, differences: readonly Difference[]) => {
    result.compared.push(subject);
    result.counts[verdictOf(differences, 0)] += 1;
    for (const difference of differences)
      result.findings.push({ ...difference, subject, rules: [] } satisfies Finding);
  };
  for (const operation of theirs.operations.values()) {
    const own = ours.operations.get(operation.key);
    tell(
      own?.id || operation.id || operation.key,
      own ? operationDrift(operation, own) : [newOperation(operation)],
    );
  }
  const areas = new Set([...theirs.operations.values()].map(({ path }) => areaOf(path)));
  for (const operation of ours.operations.values())
    if (!theirs.operations.has(operation.key))
      tell(operation.id, [goneOperation(operation, areas.has(areaOf(operation.path)))]);
  for (const reference of theirs.outside) tell(reference, [notFollowed(reference)]);
  return result;
}

/** The part of a path that says which API it belongs to, such as `/api/v1`. */
const areaOf = (path: string) => path.split('/').slice(0, 3).join('/');

const newOperation = ({ method, path }: PublishedOperation): Difference => ({
  verdict: 'drift',
  kind: 'operation',
  severity: 'notable',
  at: `${method} ${path}`,
  message: `added: ${method} ${path}, which Understudy does not have`,
});

/** A program that calls it fails. Documents leave out whole areas, such as OAuth: of these the document says nothing. */
const goneOperation = ({ method, path }: PublishedOperation, isDescribed: boolean): Difference => ({
  verdict: isDescribed ? 'drift' : 'unknown',
  kind: 'operation',
  severity: isDescribed ? 'breaking' : 'cosmetic',
  at: `${method} ${path}`,
  message: `removed: the document does not have ${method} ${path}, and Understudy has it`,
});

const notFollowed = (reference: string): Difference => ({
  verdict: 'unknown',
  kind: 'operation',
  severity: 'cosmetic',
  at: reference,
  message: `the document refers to ${reference}, which is outside of it and was not read`,
});

function operationDrift(theirs: PublishedOperation, ours: PublishedOperation): Difference[] {
  const isOther =
    theirs.success !== undefined && ours.success !== undefined && theirs.success !== ours.success;
  return [
    ...(isOther ? [otherStatus(theirs.success!, ours.success!)] : []),
    ...fieldsDrift('parameters', theirs, ours),
    ...fieldsDrift('request', theirs, ours),
    ...fieldsDrift('response', theirs, ours),
  ];
}

const otherStatus = (theirs: number, ours: number): Difference => ({
  verdict: 'drift',
  kind: 'status',
  severity: 'notable',
  at: 'status',
  message: `changed: a success has the status ${theirs}, in Understudy ${ours}`,
  theirs,
  ours,
});

const NAMES: Readonly<Record<Side, string>> = {
  parameters: 'query',
  request: 'request',
  response: 'response',
};

function fieldsDrift(side: Side, theirs: PublishedOperation, ours: PublishedOperation): Difference[] {
  const [their, our] = [theirs[side], ours[side]];
  // A document may leave the body out as a whole.
  if (side !== 'parameters' && (their.size === 0 || our.size === 0)) return [];
  const paths = [...new Set([...their.keys(), ...our.keys()])];
  return paths
    .filter((path) => !isBelowOther(path, their, our))
    .flatMap((path) => fieldDrift(side, path, their, our));
}

/** Whether only one side has the object or list that holds the field: then that is the difference. */
function isBelowOther(path: string, theirs: Fields, ours: Fields): boolean {
  for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent))
    if (theirs.has(parent) !== ours.has(parent)) return true;
  return false;
}

const parentOf = (path: string): string =>
  path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, Math.max(0, path.lastIndexOf('.')));

function fieldDrift(side: Side, path: string, theirs: Fields, ours: Fields): Difference[] {
  const [their, our] = [theirs.get(path), ours.get(path)];
  const at = `${NAMES[side]}.${path}`;
  if (!our) return [addedField(at, side !== 'response' && their!.required)];
  if (!their) return [removedField(at, side)];
  const isNeeded = side !== 'response' && their.required && !our.required;
  return [
    ...(isOtherType(their.types, our.types) ? [otherType(at, their.types, our.types)] : []),
    ...valuesDrift(at, their.values, our.values),
    ...(isNeeded ? [neededField(at)] : []),
  ];
}

const addedField = (at: string, isNeeded: boolean): Difference => ({
  verdict: 'drift',
  kind: 'field added',
  severity: isNeeded ? 'breaking' : 'notable',
  at,
  message: `added: ${at}${isNeeded ? ', which is required' : ''}`,
});

const removedField = (at: string, side: Side): Difference => ({
  verdict: 'drift',
  kind: 'field missing',
  severity: side === 'response' ? 'breaking' : 'notable',
  at,
  message: `removed: ${at}, which Understudy has`,
});

const otherType = (at: string, theirs: readonly string[], ours: readonly string[]): Difference => ({
  verdict: 'drift',
  kind: 'type',
  severity: 'breaking',
  at,
  message: `changed: ${at} is ${theirs.join(' or ')}, in Understudy ${ours.join(' or ')}`,
  theirs,
  ours,
});

const neededField = (at: string): Difference => ({
  verdict: 'drift',
  kind: 'value',
  severity: 'breaking',
  at,
  message: `changed: ${at} is required, in Understudy it is not`,
});

/** A document without types says nothing about them. */
const isOtherType = (theirs: readonly string[], ours: readonly string[]) =>
  theirs.length > 0 && ours.length > 0 && !theirs.some((type) => ours.includes(type));

function valuesDrift(
  at: string,
  theirs: readonly unknown[] | undefined,
  ours: readonly unknown[] | undefined,
): Difference[] {
  if (!theirs || !ours) return [];
  const common = { verdict: 'drift', kind: 'enum value', at } as const;
  const added = theirs.filter((value) => !ours.includes(value));
  const removed = ours.filter((value) => !theirs.includes(value));
  return [
    ...added.map((value): Difference => ({
      ...common,
      severity: 'notable',
      message: `added: ${at} may be ${shown(value)}`,
      theirs: value,
    })),
    ...removed.map((value): Difference => ({
      ...common,
      severity: 'cosmetic',
      message: `removed: ${at} cannot be ${shown(value)}`,
      ours: value,
    })),
  ];
}
