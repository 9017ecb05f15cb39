import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Contract } from '../contract/contract.ts';
import type { Collections, Row } from '../store/change-log.ts';
import { danglingReferences, plain } from '../world/cascade.ts';
import { resolveTime } from '../world/duration.ts';
import { COLLECTIONS } from '../world/schema.ts';
import { isObject } from '../json-object.ts';
import { formatPath } from '../scenarios/complaints.ts';
import { stateBreaches, violationsIn } from '../scenarios/row-breaches.ts';
import { suggestAmong } from '../scenarios/suggestion.ts';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '../well-formed.ts';
import { FixtureError } from './fixture-error.ts';
import { Seed } from './seeds.ts';

export interface FixtureSource {
  /** Where fixtures are found by name. */
  folder: string;
  /** The control API's contract, which describes the rows. */
  contract: Contract;
  /** Digests of files whose rows were checked when the program was built: looking again would double its start. */
  proven: ReadonlySet<string>;
}

/** What a fixture may have beside its collections. */
const MEMBERS = [...COLLECTIONS, 'include', 'description', '$schema'];

type Parsed = Record<string, unknown>;
type MutableCollections = Record<string, Row[]>;

interface File {
  name: string;
  content: unknown;
  proven: boolean;
}

interface Reading {
  readonly now: number;
  readonly source: FixtureSource;
  readonly rows: MutableCollections;
  proven: boolean;
}

/** The rows of a fixture, by name or path of a file, with what it includes before its own. `now` is in milliseconds. */
export function loadFixture(nameOrFile: string, now: number, source: FixtureSource): Collections {
  return read(parseFile(fileOf(nameOrFile, source.folder), source), now, source);
}

/** The rows of a fixture that was read already. `name` is what complaints call it. */
export function readFixture(content: unknown, name: string, now: number, source: FixtureSource): Collections {
  return read({ name, content, proven: false }, now, source);
}

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

function read(file: File, now: number, source: FixtureSource): Collections {
  const reading: Reading = { now, source, rows: {}, proven: true };
  gather(file, reading, []);
  if (!reading.proven) checkReferences(reading.rows, file.name);
  return reading.rows;
}

function gather({ name: file, content, proven }: File, reading: Reading, including: readonly string[]): void {
  if (including.includes(file)) {
    throw new FixtureError(`${[...including, file].join(' includes ')}: a circle`);
  }
  const { source, now, rows } = reading;
  const { include = [], description: _, $schema: __, ...state } = asObject(content, file);
  for (const name of asNames(include, file)) {
    gather(parseFile(fileOf(name, source.folder, file), source), reading, [...including, file]);
  }
  const resolved = resolveTimes(state, now) as Parsed;
  if (!proven) check(resolved, file, source.contract);
  reading.proven &&= proven;
  for (const [collection, own] of Object.entries(resolved)) add(rows, collection, own as Row[], file);
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

function fileOf(nameOrFile: string, folder: string, includedBy?: string): string {
  const named = join(folder, `${nameOrFile}.json`);
  if (/^[\w-]+$/.test(nameOrFile) && existsSync(named)) return named;
  const file = includedBy ? join(dirname(includedBy), nameOrFile) : nameOrFile;
  if (existsSync(file)) return file;
  const hint = suggestAmong(nameOrFile, fixtureNames(folder));
  throw new FixtureError(`fixture ${nameOrFile}: no such name or file${hint}`);
}

export const fixtureNames = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.json'))
        .map((file) => basename(file, '.json'))
        .toSorted()
    : [];

function parseFile(name: string, { proven }: FixtureSource): File {
  try {
    const text = readFileSync(name, 'utf8');
    const content: unknown = JSON.parse(text);
    const stray = loneSurrogateIn(content, text);
    if (stray) throw new Error(`${withEscapes(formatPath(stray))} ${NOT_WELL_FORMED}`);
    return { name, content, proven: proven.size > 0 && proven.has(digestOf(text)) };
  } catch (thrown) {
    throw new FixtureError(`${name}: ${(thrown as Error).message}`);
  }
}

function asObject(value: unknown, file: string): Parsed {
  if (isObject(value)) return value;
  throw new FixtureError(`${file}: a fixture is an object of collections`);
}

function asNames(value: unknown, file: string): string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new FixtureError(`${file}: include: a list of fixture names`);
}
