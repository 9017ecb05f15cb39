import { ApiError } from '@understudy/core/contract/errors';
import { isObject, plainText } from '@understudy/text/json';
import type { AccountRecords, RecordData, RecordPlace } from './account-records.ts';
import { mailSearch } from './mail-search.ts';
import { timeFilter } from './record-times.ts';

/** A record that is being made: its number in its place, what it is in, and the key of the record before it. */
export interface NewRecord {
  number: number;
  group: string;
  before: string | undefined;
}

export interface RecordFiller {
  records: AccountRecords;
  /** Fills a template; `made`: for a new record. */
  fill: (template: unknown, made?: NewRecord) => unknown;
}

type Directive = Readonly<Record<string, unknown>>;
type Run = (at: Directive, filler: RecordFiller) => unknown;

/** What a template does with the records of the account, by the name of the directive. */
const DIRECTIVES: Readonly<Record<string, Run>> = {
  $list: list,
  $insert: (at, filler) => shown(insert(at, filler), at),
  $latest: latest,
  $get: (at, filler) => shown(get(plainText(at['$get']), at, filler).data, at),
  $update: (at, filler) => shown(update(at, filler), at),
  $delete: remove,
};

/** Runs the directive of an object; undefined if it has none. */
export function runDirective(
  at: Directive,
  filler: RecordFiller | undefined,
): { value: unknown } | undefined {
  const name = Object.keys(DIRECTIVES).find((each) => each in at);
  if (name === undefined || !filler) return undefined;
  return { value: DIRECTIVES[name]!(at, filler) };
}

const MOST_LISTED = 100;

function list(at: Directive, filler: RecordFiller): unknown[] {
  const place = placeOf(plainText(at['$list']), at, filler);
  start(place, filler);
  const { fill, records } = filler;
  const asked = Math.floor(Number(fill(at['limit'] ?? MOST_LISTED)) || 0);
  const limit = Math.min(Math.max(asked, 0), MOST_LISTED);
  const search = plainText(fill(at['search'] ?? ''));
  const isFound = searchIn(place.kind, search, filler);
  const wanted = isObject(at['where']) ? (fill(at['where']) as RecordData) : {};
  const isInTime = timeFilter(at, filler);
  const listed: unknown[] = [];
  if (limit === 0) return listed;
  for (const { deleted, data } of records.newest(place)) {
    if (deleted) continue;
    if (search !== '') records.spendSearch(data, search);
    if (isFound(data) && hasMembers(data, wanted) && isInTime(data)) listed.push(shown(data, at));
    if (listed.length >= limit) break;
  }
  return listed;
}

/** The record that was made last, such as the one that the template has just inserted. */
function latest(at: Directive, filler: RecordFiller): unknown {
  const place = placeOf(plainText(at['$latest']), at, filler);
  start(place, filler);
  for (const { deleted, data } of filler.records.newest(place)) if (!deleted) return shown(data, at);
  return null;
}

function insert(at: Directive, filler: RecordFiller): RecordData {
  const place = placeOf(plainText(at['$insert']), at, filler);
  start(place, filler);
  return add(place, (made) => filler.fill(at['with'], made), filler);
}

/** Finds a record by its key. For an unknown key, the account gets a record with that key. */
function get(
  kind: string,
  at: Directive,
  filler: RecordFiller,
): NonNullable<ReturnType<AccountRecords['find']>> {
  const { records, fill } = filler;
  const given = fill(at['key']);
  const key = plainText(given);
  const place = placeOf(kind, at, filler);
  start(place, filler);
  const find = () => records.find(kind, key, 'in' in at ? place.group : undefined);
  if (key !== '' && !find()) add(place, () => ({ [records.kind(kind).key]: given }), filler);
  const row = find();
  if (!row)
    throw new ApiError('not_found', `${kind} ${key} not found`, {
      why: { kind: 'unknown', noun: kind, wanted: key },
    });
  if (row.deleted)
    throw new ApiError('not_found', `${kind} ${key} not found: it was deleted`, {
      why: { kind: 'unknown', noun: kind, wanted: key },
    });
  return row;
}

function update(at: Directive, filler: RecordFiller): RecordData {
  const row = get(plainText(at['$update']), at, filler);
  const changed = merged(row.data, filler.fill(at['with']));
  const data = withElements(changed, filler.fill(at['add']), filler.fill(at['remove']));
  filler.records.change(row, { data });
  return data;
}

/** Adds elements to lists of the record, and removes others. */
function withElements(data: RecordData, added: unknown, removed: unknown): RecordData {
  const result: RecordData = { ...data };
  for (const [name, elements] of Object.entries(isObject(removed) ? removed : {}))
    result[name] = listOf(result[name]).filter((each) => !listOf(elements).includes(each));
  for (const [name, elements] of Object.entries(isObject(added) ? added : {}))
    result[name] = [...new Set([...listOf(result[name]), ...listOf(elements)])];
  return result;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function remove(at: Directive, filler: RecordFiller): true {
  filler.records.change(get(plainText(at['$delete']), at, filler), { deleted: true });
  return true;
}

const placeOf = (kind: string, at: Directive, { fill }: RecordFiller): RecordPlace => ({
  kind,
  group: plainText(fill(at['in'] ?? '')),
});

/** The records that the account has from the start are made when the first of them is needed. */
function start(place: RecordPlace, filler: RecordFiller): void {
  const { initial = 0 } = filler.records.kind(place.kind);
  if (initial === 0 || !filler.records.isEmpty(place)) return;
  for (let made = 0; made < initial; made += 1) add(place, () => ({}), filler);
}

/** `given`: members that replace those of the template. What a caller sent must not be filled again. */
function add(
  place: RecordPlace,
  given: (made: NewRecord) => unknown,
  { records, fill }: RecordFiller,
): RecordData {
  const [last] = records.newest(place);
  const made = { number: records.nextNumber(place), group: place.group, before: last?.key };
  const { of } = records.kind(place.kind);
  return records.add(place, made.number, merged(fill(of, made) as RecordData, given(made)));
}

/** Members that are null were not given. */
function merged(base: RecordData, given: unknown): RecordData {
  if (!isObject(given)) return base;
  const result: RecordData = { ...base };
  for (const [name, value] of Object.entries(given)) {
    const before = result[name];
    if (isObject(value) && isObject(before)) result[name] = merged(before, value);
    else if (value !== null) result[name] = value;
  }
  return result;
}

/** The members that an answer has (`show`), or the value of one (`member`); else all members. */
function shown(data: RecordData, { show, member }: Directive): unknown {
  if (typeof member === 'string') return data[member];
  if (!Array.isArray(show)) return data;
  const names = show.map(String).filter((name) => name in data);
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}

function searchIn(kind: string, search: string, { records }: RecordFiller): (data: RecordData) => boolean {
  if (records.kind(kind).search === 'gmail') return mailSearch(search, records.now);
  const words = wordsOf(search);
  return (data) => hasWords(data, words);
}

/** Of `from:ada bees`, the words ada and bees. */
const wordsOf = (search: string): string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^\w+:/, ''))
    .filter(Boolean);

function hasWords(data: RecordData, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = JSON.stringify(data).toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A parameter that was not given and the word `all` fit everything. A list has to have all wanted elements. */
function hasMembers(data: RecordData, wanted: RecordData): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const member = data[name];
    if (value === null || value === 'all') return true;
    if (Array.isArray(member) && Array.isArray(value)) return value.every((each) => member.includes(each));
    return plainText(member) === plainText(value);
  });
}
