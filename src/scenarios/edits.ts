import type { Contract } from '../contract/contract.ts';
import type { Env, Collection } from '../state/env.ts';
import { danglingReferences, anyTable, removing, TABLES } from '../state/schema.ts';
import { alreadyExists, ApiError, invalidArgument } from '../contract/errors.ts';
import { suggest } from '@understudy/text/suggestion';
import { resolveTimes } from '@understudy/text/duration';
import { mergePatch, SizeBudget } from '@understudy/text/json';
import { missingValue, withValues, type CallFacts } from './call-facts.ts';
import { includes, member } from './condition.ts';
import type { Path } from './path.ts';
import type { Steps } from './steps.ts';
import { rowBreaches, violationsIn, type RowBreach } from './breaches.ts';
import { withDefaults } from './row-defaults.ts';
import { MAX_LISTED } from './complaints.ts';

export type Members = Readonly<Record<string, unknown>>;
type Row = Members & { readonly id: string };

/** Rows of a collection, selected by their members. */
export type RowSelection = { readonly [C in Collection]?: Members };

/** A change to the rows of one collection. */
export type Edit = EditContext &
  (
    | { readonly match: Members; readonly set: Members }
    | { readonly insert: Members; readonly match?: Members }
    | { readonly delete: { readonly match: Members } }
  );

interface EditContext {
  readonly collection: Collection;
  /** Where the change is written; the prefix of error messages. */
  readonly place?: string;
  /** Makes the change once for each of these rows. */
  readonly for?: RowSelection;
  /** Without a matching row, nothing happens. */
  readonly optional?: boolean;
  /** Paths of texts that refer to values of the call or of the row in `for`. */
  readonly templates?: readonly Path[];
  readonly call?: CallFacts;
  /** What these changes and the answer may become together. */
  readonly budget?: SizeBudget;
}

/** Makes the changes in order within the unit of work of `env`. The control contract describes the rows. */
export function* applyEdits(env: Env, edits: readonly Edit[], control: Contract): Steps<void> {
  const budget = new SizeBudget();
  for (const edit of edits) {
    yield;
    try {
      yield* applyEdit(env, { budget, ...edit }, control);
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || edit.place === undefined) throw thrown;
      throw new ApiError(thrown.failure, `${edit.place}: ${thrown.message}`, thrown.parts);
    }
  }
}

function* applyEdit(env: Env, edit: Edit, control: Contract): Steps<void> {
  for (const row of rowsToEdit(env, edit)) {
    yield;
    const filled = fill(edit, row);
    if (filled) yield* makeChange(env, filled, control);
  }
}

/** The rows in `for`; one undefined without `for`. */
function rowsToEdit(env: Env, edit: Edit): readonly (Row | undefined)[] {
  const { for: wanted, templates = [], call, budget } = edit;
  if (!wanted) return [undefined];
  const own = below('for', templates);
  if (missingValue(wanted, own, { call }) !== undefined) return [];
  return Object.entries(withValues(wanted, own, { call, budget })).flatMap(([collection, match]) =>
    rowsLike(env, collection as Collection, match),
  );
}

/** Fills in values of the call and the row. No row matches a missing value. */
function fill(edit: Edit, row: Row | undefined): Edit | undefined {
  const { templates = [], call, budget } = edit;
  const matches = templates.filter(([first, second]) => first === 'match' || second === 'match');
  const missing = missingValue(edit, matches, { call, row });
  if (missing === undefined)
    return withValues(
      edit,
      templates.filter(([first]) => first !== 'for'),
      { call, row, budget },
    );
  if (edit.optional) return undefined;
  throw invalidArgument(`${edit.collection}: no row matches: the call has no ${missing}`);
}

const below = (member: string, templates: readonly Path[]) =>
  templates.filter(([first]) => first === member).map((path) => path.slice(1));

function* makeChange(env: Env, edit: Edit, control: Contract): Steps<void> {
  const { collection } = edit;
  if ('insert' in edit) {
    const isThere = edit.match && rowsLike(env, collection, edit.match).length > 0;
    if (!isThere) insertRow(env, control, collection, edit.insert);
  } else if ('delete' in edit) {
    for (const { id } of findRows(env, edit, edit.delete.match)) yield* removeOnce(env, collection, id);
  } else {
    for (const { id } of findRows(env, edit, edit.match)) {
      patchRow(env, control, collection, id, edit.set);
      yield;
    }
  }
}

/** Inserts or replaces a row, with defaults. Throws `invalid_argument` if the row is invalid. */
export function putRow(env: Env, control: Contract, collection: Collection, row: Members): Row {
  const now = env.clock.ms;
  const whole = withDefaults(resolveTimes(row, now) as Members, collection, { control, now });
  const checked = check(env, control, collection, whole);
  const table = anyTable(env, collection);
  return table.find(checked.id) ? table.replace(checked) : table.insert(checked);
}

/** Applies a JSON merge patch (RFC 7396) to a row. */
export function patchRow(
  env: Env,
  control: Contract,
  collection: Collection,
  id: string,
  patch: Members,
): Row {
  const table = anyTable(env, collection);
  const row = mergePatch(table.get(id), resolveTimes(patch, env.clock.ms)) as Members;
  if (row['id'] !== id) throw invalidArgument(`${collection} ${id}: id: can't be changed`);
  return table.replace(check(env, control, collection, row));
}

/** Undefined if ids of the collection are not generated. */
export function idPrefix(control: Contract, collection: Collection): string | undefined {
  const pattern = control.schemaNamed(TABLES[collection].schema)?.properties?.['id']?.pattern;
  return /^\^([a-z]+)_/.exec(pattern ?? '')?.[1];
}

function insertRow(env: Env, control: Contract, collection: Collection, row: Members): void {
  const prefix = row['id'] === undefined ? idPrefix(control, collection) : undefined;
  const whole = prefix === undefined ? row : { id: env.draw.id(prefix), ...row };
  if (typeof whole['id'] === 'string' && anyTable(env, collection).find(whole['id'])) {
    throw alreadyExists(`${collection} ${whole['id']} already exists`);
  }
  putRow(env, control, collection, whole);
}

/** The row may be gone with another one. */
function* removeOnce(env: Env, collection: Collection, id: string): Steps<void> {
  if (anyTable(env, collection).find(id)) yield* removing(env, collection, id);
}

function findRows(env: Env, { collection, optional }: Edit, match: Members): Row[] {
  const rows = rowsLike(env, collection, match);
  if (rows.length > 0 || optional) return rows;
  const hint = nearestRow(match, anyTable(env, collection).list());
  throw invalidArgument(`${collection}: no row matches ${JSON.stringify(match)}${hint}`);
}

const rowsLike = (env: Env, collection: Collection, match: Members): Row[] =>
  candidates(env, collection, match).filter((row) => includes(row, match));

/** Uses the id or a reference, which is an index, if the match has one; otherwise all rows. */
function candidates(env: Env, collection: Collection, match: Members): Row[] {
  const table = anyTable(env, collection);
  if (typeof match['id'] === 'string') return [table.find(match['id'])].filter((row) => row !== undefined);
  const references = Object.keys(TABLES[collection].references ?? {});
  const index = references.find((member) => typeof match[member] === 'string');
  return index === undefined ? table.list() : table.list(index, String(match[index]));
}

/** The error lists everything that is wrong with the row. */
function check(env: Env, control: Contract, collection: Collection, row: Members): Row {
  const broken = rowBreaches(row, collection, control);
  const breaches = broken.length > 0 ? broken : danglingBreaches(env, collection, row);
  if (breaches.length === 0) return row as Row;
  const id = typeof row['id'] === 'string' ? ` ${row['id']}` : '';
  const violations = violationsIn(breaches);
  const more = violations.length - MAX_LISTED;
  const reasons = violations
    .slice(0, MAX_LISTED)
    .map(({ field, description }) => `${field}: ${description}`.replace(/^: /, ''));
  const all = more > 0 ? [...reasons, `and ${more} more`] : reasons;
  throw new ApiError('invalid_argument', `${collection}${id}: ${all.join('; ')}`, { violations });
}

const danglingBreaches = (env: Env, collection: Collection, row: Members): RowBreach[] =>
  danglingReferences(env, collection, { ...row }).map(({ member, reason }) => ({
    path: [member],
    message: reason,
    constraint: 'reference',
  }));

/** Limits the time for a hint. */
const MAX_ROWS = 10_000;

/** A hint if no row matches: the row that fits best, or a similar value. */
function nearestRow(match: Members, rows: readonly (Members & { readonly id: string })[]): string {
  const some = rows.slice(0, MAX_ROWS);
  const names = Object.keys(match);
  const differing = (row: Members) => names.filter((name) => !includes(row, { [name]: match[name] }));
  const ranked = some.map((row) => ({ row, wrong: differing(row) }));
  // The first members mostly identify the row.
  const firstWrong = (wrong: readonly string[]) => names.indexOf(wrong[0] ?? '');
  const [nearest] = ranked.toSorted(
    (a, b) => a.wrong.length - b.wrong.length || firstWrong(b.wrong) - firstWrong(a.wrong),
  );
  if (nearest && nearest.wrong.length < names.length) {
    const { row, wrong } = nearest;
    return `; ${row.id} differs only in ${wrong.map((name) => `${name}, which ${shown(member(row, name))}`).join(', ')}`;
  }
  return names.map((name) => nearValue(name, match[name], some)).find((hint) => hint !== '') ?? '';
}

function nearValue(name: string, wanted: unknown, rows: readonly Members[]): string {
  if (typeof wanted !== 'string') return '';
  const values = rows.map((row) => member(row, name)).filter((value) => typeof value === 'string');
  return suggest(wanted, values).replace('did you mean', `did you mean the ${name}`);
}

const shown = (value: unknown) => (value === undefined ? 'is not there' : `is ${JSON.stringify(value)}`);
