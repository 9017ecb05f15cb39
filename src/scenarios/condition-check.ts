import type { Operation, Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { formatPath, type Complaints, type Path } from './complaints.ts';
import type { Condition } from './condition.ts';
import { unknownMembers, type UnknownMember } from './members.ts';
import { suggest } from './suggestion.ts';

/** Complains of names in a condition that none of the rule's operations has. */
export function checkCondition(
  condition: Condition,
  at: Path,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
  complaints: Complaints,
): void {
  for (const place of ['path', 'query'] as const) {
    const wanted = condition[place];
    if (!wanted || !complaints.isClean([...at, place])) continue;
    const known = operations.flatMap(({ parameters }) => parameters.filter((each) => each.in === place));
    const names = [...new Set(known.map(({ name }) => name))];
    const unknown = Object.keys(wanted).filter((name) => !names.includes(name));
    for (const name of unknown) complain([...at, place, name], `${place} parameter`, names, complaints);
  }
  if (!condition.body || !complaints.isClean([...at, 'body'])) return;
  for (const { path, known } of unknownInAll(condition.body, operations, contract)) {
    complain([...at, 'body', ...path], 'member', known, complaints);
  }
}

function complain(path: Path, noun: string, known: readonly string[], complaints: Complaints): void {
  const name = String(path.at(-1));
  const message = `none of the operations has the ${noun} ${name}${suggest(name, known)}`;
  complaints.add(path, message, 'key');
}

/** A member counts as unknown only where every body that the operations take has no such one. */
function unknownInAll(
  body: unknown,
  operations: readonly Operation[],
  contract: Contract,
): readonly UnknownMember[] {
  const schemas = operations.flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
  );
  const shapes: Schema[] = schemas.length > 0 ? schemas : [{ additionalProperties: false }];
  const [first = [], ...others] = shapes.map((schema) => unknownMembers(body, schema, contract));
  const inAll = first.filter(({ path }) =>
    others.every((unknown) => unknown.some((each) => isAbove(each.path, path))),
  );
  return inAll.map(({ path, known }) => ({
    path,
    known: [...new Set([...known, ...others.flatMap(knownAt(path))])],
  }));
}

const isAbove = (upper: Path, path: Path) => upper.every((step, index) => step === path[index]);

const knownAt = (path: Path) => (unknown: readonly UnknownMember[]) =>
  unknown.find((each) => formatPath(each.path) === formatPath(path))?.known ?? [];
