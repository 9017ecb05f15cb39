import type { Operation, Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Complaints } from './complaints.ts';
import { misfits, type Misfit } from './condition-members.ts';
import type { Condition } from './condition.ts';
import { suggest } from '../text/suggestion.ts';
import type { Path } from './path.ts';
import { ENOUGH } from './scenario-error.ts';

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
    ? `unknown operator ${name}${suggest(name, known())}`
    : `none of the operations has the member ${name}${suggest(name, known())}`;
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
  const [first = { additionalProperties: false }, ...others] = [...new Set(schemas)];
  const found: Misfit[] = [];
  for (const misfit of misfits(body, first, contract)) {
    const { path } = misfit;
    const fitting = others.findIndex((schema) => !isMisfit(body, path, schema, contract));
    // Where one name fits, the next one does mostly, too.
    if (fitting > 0) others.unshift(...others.splice(fitting, 1));
    if (fitting < 0) found.push({ ...misfit, known: knownTo(body, misfit, others, contract) });
    if (found.length >= ENOUGH) break;
  }
  return found;
}

/** Whether the path, or one above it, can't be in a body of that schema. */
const isMisfit = (body: unknown, path: Path, schema: Schema, contract: Contract) =>
  misfits(body, schema, contract, path).some((each) => isAbove(each.path, path));

const isAbove = (upper: Path, path: Path) => upper.every((step, index) => step === path[index]);

function knownTo(body: unknown, misfit: Misfit, others: readonly Schema[], contract: Contract) {
  let names: string[] | undefined;
  const alike = (schema: Schema) =>
    misfits(body, schema, contract, misfit.path).find(
      ({ path }) => path.length === misfit.path.length && isAbove(path, misfit.path),
    );
  const known = () =>
    (names ??= [
      ...new Set([...misfit.known(), ...others.flatMap((schema) => alike(schema)?.known() ?? [])]),
    ]);
  return known;
}
