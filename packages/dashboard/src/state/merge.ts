import { isRecord } from './row-schema.ts';

type Row = Record<string, unknown>;

/** A member of a row that was changed: its path, such as `settings.features`. */
interface ChangedMember {
  path: readonly string[];
  /** Undefined: the member is gone. */
  value: unknown;
}

/** A member that others have changed while the reader was writing. */
export interface Meeting {
  name: string;
  path: readonly string[];
  theirs: unknown;
  /** Whether the reader has changed it to something else. */
  isConflict: boolean;
  mine: unknown;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The members that differ, as deep as objects go. A list is one value. */
export function changesBetween(before: Row, after: Row, path: readonly string[] = []): ChangedMember[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [old, value] = [before[name], after[name]];
    if (isSame(old, value)) return [];
    const at = [...path, name];
    return isRecord(old) && isRecord(value) ? changesBetween(old, value, at) : [{ path: at, value }];
  });
}

/** The row with these changes. */
export function changed(row: Row, changes: readonly ChangedMember[]): Row {
  return changes.reduce((whole, { path, value }) => withMember(whole, path, value), row);
}

function withMember(row: Row, [name = '', ...rest]: readonly string[], value: unknown): Row {
  if (rest.length > 0) {
    const inner = row[name];
    return { ...row, [name]: withMember(isRecord(inner) ? inner : {}, rest, value) };
  }
  if (value !== undefined) return { ...row, [name]: value };
  const { [name]: _, ...others } = row;
  return others;
}

/** What others have changed between the row that was read and the row that is stored. */
export function meetings(read: Row, stored: Row, written: Row): Meeting[] {
  const mine = changesBetween(read, written);
  return changesBetween(read, stored).map(({ path, value }) => {
    const own = mine.find((each) => isWithin(each.path, path) || isWithin(path, each.path));
    const ours = memberOf(written, path);
    const isConflict = own !== undefined && !isSame(ours, value);
    return { name: path.join('.'), path, theirs: value, isConflict, mine: ours };
  });
}

const isWithin = (outer: readonly string[], inner: readonly string[]) =>
  outer.every((step, index) => step === inner[index]);

const memberOf = (row: Row, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), row);

/** A merge patch (RFC 7396) for these changes; undefined if one of them is a null, which a patch cannot say. */
export function patchOf(changes: readonly ChangedMember[]): Row | undefined {
  if (changes.some(({ value }) => hasNull(value))) return undefined;
  return changed(
    {},
    changes.map(({ path, value }) => ({ path, value: value === undefined ? null : value })),
  );
}

const hasNull = (value: unknown): boolean =>
  value === null || (isRecord(value) && Object.values(value).some(hasNull));
