import type { Contract } from '../contract/contract.ts';
import type { Collections, Row } from '../store/change-log.ts';
import { danglingReferences, plain } from '../world/cascade.ts';
import { resolveTime } from '../world/duration.ts';
import { COLLECTIONS } from '../world/schema.ts';
import { isObject } from '../json-object.ts';
import { stateBreaches, violationsIn } from '../scenarios/row-breaches.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { FixtureError } from './fixture-error.ts';
import type { Asker, FixtureFile, FixtureFolders, FixtureRequest } from './fixture-files.ts';
import { Seed } from './seeds.ts';

export interface FixtureSource {
  folders: FixtureFolders;
  /** The control API's contract, which describes the rows. */
  contract: Contract;
}

/** What a fixture may have beside its collections. */
const MEMBERS = [...COLLECTIONS, 'include', 'description', '$schema'];

type Parsed = Record<string, unknown>;
type MutableCollections = Record<string, Row[]>;

interface Reading {
  readonly now: number;
  readonly source: FixtureSource;
  readonly asker: Asker;
  readonly rows: MutableCollections;
  proven: boolean;
  /** How many fixtures were included. */
  included: number;
}

/** More than anyone writes; without a bound a few files could unfold to millions. */
const MOST_INCLUDED = 100;

/** The rows of a fixture by its name, or by its path where one is taken. `now` is in milliseconds. */
export function loadFixture(
  wanted: string,
  now: number,
  source: FixtureSource,
  request: FixtureRequest = { asker: 'command line', mayBePath: true },
): Collections {
  return read(source.folders.read(wanted, request), { now, source, asker: request.asker });
}

/** The rows of a fixture that came with a call. `label` is what complaints call it. */
export function readFixture(
  content: unknown,
  label: string,
  now: number,
  source: FixtureSource,
): Collections {
  const file = { label, content, proven: false, path: undefined, mayIncludePaths: false };
  return read(file, { now, source, asker: 'control API' });
}

function read(file: FixtureFile, settings: Pick<Reading, 'now' | 'source' | 'asker'>): Collections {
  const reading: Reading = { ...settings, rows: {}, proven: true, included: 0 };
  gather(file, reading, []);
  if (!reading.proven) checkReferences(reading.rows, file.label);
  return reading.rows;
}

function gather(file: FixtureFile, reading: Reading, including: readonly string[]): void {
  const { label, content, proven } = file;
  if (including.includes(label))
    throw new FixtureError(`${[...including, label].join(' includes ')}: a circle`);
  const { source, now, rows, asker } = reading;
  const { include = [], description: _, $schema: __, ...state } = asObject(content, label);
  for (const [index, name] of asNames(include, label).entries()) {
    if (++reading.included > MOST_INCLUDED)
      throw new FixtureError(`${label}: include[${index}]: more than ${MOST_INCLUDED} fixtures are included`);
    gather(source.folders.readIncluded(name, index, file, asker), reading, [...including, label]);
  }
  const resolved = resolveTimes(state, now) as Parsed;
  if (!proven) check(resolved, label, source.contract);
  reading.proven &&= proven;
  for (const [collection, own] of Object.entries(resolved)) add(rows, collection, own as Row[], label);
}

/** A row takes the place of the row with its id from a file that was read before, whole. In one file an id stands once. */
function add(rows: MutableCollections, collection: string, own: readonly Row[], file: string): void {
  const known = rows[collection] ?? [];
  const places = new Map(known.map((row, index) => [row.id, index]));
  const here = new Set<string>();
  const all = [...known];
  for (const [index, row] of own.entries()) {
    if (here.has(row.id))
      throw new FixtureError(`${file}: ${collection}[${index}].id: ${row.id} is there already`);
    here.add(row.id);
    const place = places.get(row.id);
    if (place === undefined) all.push(row);
    else all[place] = row;
  }
  rows[collection] = all;
}

function check(state: Parsed, file: string, contract: Contract): void {
  const strangers = Object.keys(state).filter((name) => !(COLLECTIONS as string[]).includes(name));
  const unknown = strangers.map((field) => ({
    field,
    description: `no such collection${suggestAmong(field, MEMBERS)}`,
    constraint: 'unknown_field',
  }));
  const violations = unknown.length > 0 ? unknown : violationsIn(stateBreaches(state, contract));
  if (violations.length > 0) throw FixtureError.of(file, violations);
}

function checkReferences(rows: MutableCollections, file: string): void {
  const tables = new Seed(rows).tables(() => {});
  const dangling = COLLECTIONS.flatMap((collection) =>
    plain(tables, collection)
      .list()
      .flatMap((row, index) =>
        danglingReferences(tables, collection, row).map(({ member, reason }) => ({
          field: `${collection}[${index}].${member}`,
          description: reason,
          constraint: 'reference',
        })),
      ),
  );
  if (dangling.length > 0) throw FixtureError.of(file, dangling);
  if (rows['settings']?.length !== 1)
    throw FixtureError.of(file, [
      { field: 'settings', description: 'there must be one row', constraint: 'required' },
    ]);
}

function resolveTimes(value: unknown, now: number): unknown {
  if (typeof value === 'string') return resolveTime(value, now);
  if (Array.isArray(value)) return value.map((each) => resolveTimes(each, now));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolveTimes(member, now)]));
}

function asObject(value: unknown, file: string): Parsed {
  if (isObject(value)) return value;
  throw new FixtureError(`${file}: a fixture is an object of collections`);
}

function asNames(value: unknown, file: string): string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new FixtureError(`${file}: include: a list of fixture names`);
}
