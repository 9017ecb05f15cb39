import type { Operation, Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Complaints } from './complaints.ts';
import { misfits, type Misfit } from './condition-members.ts';
import type { Condition } from './condition.ts';
import { suggest } from '../text/suggestion.ts';
import { formatPath, type Path } from './path.ts';

/** Complains of names in a condition that none of the rule's operations has, and of operators that can't be met. */
export function checkCondition(
  condition: Condition,
  at: Path,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
  complaints: Complaints,
): void {
  for (const place of ['path', 'query'] as const) {
    const wanted = condition[place];
    if (!wanted || !complaints.isClean([...at, place])) continue;
    for (const { name, message } of unknownParameters(place, wanted, operations))
      complaints.add([...at, place, name], message, 'key');
  }
  if (!condition.body || !complaints.isClean([...at, 'body'])) return;
  for (const misfit of misfitsInAll(condition.body, operations, contract)) {
    complaints.add([...at, 'body', ...misfit.path], () => wordingOf(misfit), 'key');
  }
}

function wordingOf({ path, noun, known, reason }: Misfit): string {
  const name = String(path.at(-1));
  if (reason !== undefined) return reason;
  return noun === 'operator'
    ? `unknown operator ${name}${suggest(name, known)}`
    : `none of the operations has the member ${name}${suggest(name, known)}`;
}

/** What of a condition none of the operations has, in words. */
export const unknownInCalls = (
  { path = {}, query = {}, body }: Condition,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
): string[] => [
  ...unknownParameters('path', path, operations).map(({ message }) => message),
  ...unknownParameters('query', query, operations).map(({ message }) => message),
  ...(body === undefined ? [] : misfitsInAll(body, operations, contract).map(wordingOf)),
];

function unknownParameters(place: 'path' | 'query', wanted: object, operations: readonly Operation[]) {
  const known = operations.flatMap(({ parameters }) => parameters.filter((each) => each.in === place));
  const names = [...new Set(known.map(({ name }) => name))];
  return Object.keys(wanted)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      name,
      message: `none of the operations has the ${place} parameter ${name}${suggest(name, names)}`,
    }));
}

/** One counts only where every body that the operations take has it. */
function misfitsInAll(body: unknown, operations: readonly Operation[], contract: Contract): Misfit[] {
  const schemas = operations.flatMap(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
  );
  const shapes: Schema[] = schemas.length > 0 ? schemas : [{ additionalProperties: false }];
  const [first = [], ...others] = shapes.map((schema) => misfits(body, schema, contract));
  const inAll = first.filter(({ path }) =>
    others.every((misfit) => misfit.some((each) => isAbove(each.path, path))),
  );
  return inAll.map((misfit) => ({
    ...misfit,
    known: [...new Set([...misfit.known, ...others.flatMap(knownAt(misfit.path))])],
  }));
}

const isAbove = (upper: Path, path: Path) => upper.every((step, index) => step === path[index]);

const knownAt = (path: Path) => (found: readonly Misfit[]) =>
  found.find((each) => formatPath(each.path) === formatPath(path))?.known ?? [];
