import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { FileError, isFolder, namedFilesOf, readRegularFile } from '../files.ts';
import { formatPath } from '../scenarios/path.ts';
import { isObject } from '../text/json.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '../text/well-formed.ts';
import { FixtureError } from './fixture/fixtures.ts';
import { COLLECTIONS } from './rows/schema.ts';

/** A fixture that was read and not yet checked. */
export interface FixtureFile {
  /** What complaints call it. */
  label: string;
  content: unknown;
  /** Whether the build has checked this very text. */
  proven: boolean;
  /** Where it lies; undefined: it came with a call. */
  path: string | undefined;
  /** Its includes may be paths, as it was itself given by its path on the command line. */
  mayIncludePaths: boolean;
}

/** Who waits for the fixture, and hears what is wrong with it. */
export type Asker = 'command line' | 'control API';

export interface FixtureRequest {
  asker: Asker;
  /** The command line named it, so that it may be a path. */
  mayBePath: boolean;
}

const EXTENSIONS = ['.json'];
/** What a path is told apart by. */
const PATH = /[/\\\0]|^\.{1,2}$|\.json$/i;
const READABLE = 200;

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Where fixtures are found by name: the user's folders in their order, then the shipped one. */
export class FixtureFolders {
  readonly #folders: readonly string[];
  readonly #proven: ReadonlySet<string>;

  /** `proven`: digests of texts that the build has checked. Throws FixtureError when one of the user's is no folder. */
  constructor(own: readonly string[], shipped: string, proven: ReadonlySet<string> = new Set()) {
    for (const folder of own)
      if (!isFolder(folder)) throw new FixtureError(`--fixtures ${folder}: no such folder`);
    this.#folders = [...own, shipped];
    this.#proven = proven;
  }

  names(): string[] {
    return [...new Set(this.#folders.flatMap((folder) => [...filesOf(folder).files.keys()]))].toSorted();
  }

  /** The fixture of that name, or at that path where one is taken. Throws FixtureError. */
  read(wanted: string, { asker, mayBePath }: FixtureRequest): FixtureFile {
    const named = this.#find(wanted);
    if (named !== undefined) return this.#parse(named, asker, false);
    if (!mayBePath) throw this.#unknownName(wanted, 'fixture', `fixture ${shown(wanted)}`);
    return this.#readPath(wanted, wanted, asker);
  }

  /** What `includer` includes at `index`. */
  readIncluded(wanted: string, index: number, includer: FixtureFile, asker: Asker): FixtureFile {
    const named = this.#find(wanted, includer.path);
    if (named !== undefined) return this.#parse(named, asker, false);
    const field = `include[${index}]`;
    if (!includer.mayIncludePaths || includer.path === undefined)
      throw this.#unknownName(wanted, field, `${includer.label}: ${field}: ${shown(wanted)}`);
    return this.#readPath(join(dirname(includer.path), wanted), wanted, asker);
  }

  /** A fixture that includes its own name means the one that it hides. */
  #find(name: string, includer?: string): string | undefined {
    return this.#folders
      .map((folder) => filesOf(folder).files.get(name))
      .find((file) => file !== undefined && (includer === undefined || resolve(file) !== resolve(includer)));
  }

  #readPath(path: string, wanted: string, asker: Asker): FixtureFile {
    if (existsSync(path)) return this.#parse(path, asker, true);
    const hint = suggestAmong(wanted, this.names());
    throw new FixtureError(`fixture ${wanted}: ${this.#flawOf(wanted) ?? `no such name or file${hint}`}`);
  }

  #parse(path: string, asker: Asker, mayIncludePaths: boolean): FixtureFile {
    const text = textOf(path);
    const proven = this.#proven.size > 0 && this.#proven.has(digestOf(text));
    const content = parse(path, text, asker);
    if (asker === 'control API') refuseForeign(content, path);
    const stray = loneSurrogateIn(content, text);
    if (stray) throw new FixtureError(`${path}: ${withEscapes(formatPath(stray))} ${NOT_WELL_FORMED}`);
    return { label: path, content, proven, path, mayIncludePaths };
  }

  #unknownName(wanted: string, field: string, what: string): FixtureError {
    const description = this.#flawOf(wanted) ?? this.#whyUnknown(wanted);
    return new FixtureError(`${what}: ${description}`, [{ field, description, constraint: 'fixture_name' }]);
  }

  #whyUnknown(wanted: string): string {
    if (!PATH.test(wanted)) return `no such name${suggestAmong(shown(wanted), this.names())}`;
    const meant = basename(wanted.slice(-READABLE).replaceAll('\\', '/'), extname(wanted));
    return `a path is not taken here, only the name of a fixture${suggestAmong(meant, this.names())}`;
  }

  #flawOf(name: string): string | undefined {
    return this.#folders.map((folder) => filesOf(folder).unusable.get(name)).find((flaw) => flaw);
  }
}

const filesOf = (folder: string) => namedFilesOf(folder, { extensions: EXTENSIONS });

const shown = (text: string) => (text.length <= READABLE ? text : `${text.slice(0, READABLE)}…`);

function textOf(path: string): string {
  try {
    return readRegularFile(path);
  } catch (thrown) {
    throw thrown instanceof FileError ? new FixtureError(thrown.message) : thrown;
  }
}

function parse(path: string, text: string, asker: Asker): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // The engine's own words quote the text.
    const [position = ''] = / at position \d+/.exec((thrown as Error).message) ?? [];
    const reason = asker === 'command line' ? (thrown as Error).message : `it is not JSON${position}`;
    throw new FixtureError(`${path}: ${reason}`);
  }
}

/** Complaints name members of a fixture: those of any other file are nobody's business. */
function refuseForeign(content: unknown, path: string): void {
  const isFixture = isObject(content) && Object.keys(content).some((member) => KNOWN_MEMBERS.has(member));
  if (!isFixture) throw new FixtureError(`${path}: it is not a fixture: it has no collection and no include`);
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set([...COLLECTIONS, 'include']);
