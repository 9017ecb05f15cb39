import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { FileError, isFolder, namedFilesOf, readRegularFile } from '../files.ts';
import { formatPath } from '../scenarios/path.ts';
import { isObject } from '../text/json.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '../text/well-formed.ts';
import { COLLECTIONS } from './rows/schema.ts';
import { type FieldViolation, ApiError } from '../errors.ts';

/** A fixture that is read but not checked. */
export interface FixtureFile {
  /** The name in error messages. */
  label: string;
  content: unknown;
  /** Whether the build has checked exactly this text. */
  proven: boolean;
  /** Undefined if the fixture came with a call. */
  path: string | undefined;
  /** Whether includes may be paths, because the command line gave this fixture by its path. */
  mayIncludePaths: boolean;
}

/** Who asked for the fixture and gets the error messages. */
export type FixtureUser = 'command line' | 'control API';

export interface FixtureRequest {
  user: FixtureUser;
  /** Whether the command line named the fixture. */
  mayBePath: boolean;
}

const EXTENSIONS = ['.json'];
/** What distinguishes a path from a name. */
const PATH = /[/\\\0]|^\.{1,2}$|\.json$/i;
const MAX_SHOWN = 200;

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Finds fixtures by name: in the user's folders in order, then in the shipped folder. */
export class FixtureFolders {
  readonly #folders: readonly string[];
  readonly #proven: ReadonlySet<string>;

  /** `proven`: digests of texts that the build has checked. Throws FixtureError if a user's folder does not exist. */
  constructor(own: readonly string[], shipped: string, proven: ReadonlySet<string> = new Set()) {
    for (const folder of own)
      if (!isFolder(folder)) throw new FixtureError(`--fixtures ${folder}: no such folder`);
    this.#folders = [...own, shipped];
    this.#proven = proven;
  }

  names(): string[] {
    return [...new Set(this.#folders.flatMap((folder) => [...filesOf(folder).files.keys()]))].toSorted();
  }

  /** Finds the fixture by name or, where allowed, by path. Throws FixtureError. */
  read(wanted: string, { user, mayBePath }: FixtureRequest): FixtureFile {
    const named = this.#find(wanted);
    if (named !== undefined) return this.#parse(named, user, false);
    if (!mayBePath) throw this.#unknownName(wanted, 'fixture', `fixture ${shown(wanted)}`);
    return this.#readPath(wanted, wanted, user);
  }

  readIncluded(wanted: string, index: number, includer: FixtureFile, user: FixtureUser): FixtureFile {
    const named = this.#find(wanted, includer.path);
    if (named !== undefined) return this.#parse(named, user, false);
    const field = `include[${index}]`;
    if (!includer.mayIncludePaths || includer.path === undefined)
      throw this.#unknownName(wanted, field, `${includer.label}: ${field}: ${shown(wanted)}`);
    return this.#readPath(join(dirname(includer.path), wanted), wanted, user);
  }

  /** A fixture that includes its own name means the fixture that it replaces. */
  #find(name: string, includer?: string): string | undefined {
    return this.#folders
      .map((folder) => filesOf(folder).files.get(name))
      .find((file) => file !== undefined && (includer === undefined || resolve(file) !== resolve(includer)));
  }

  #readPath(path: string, wanted: string, user: FixtureUser): FixtureFile {
    if (existsSync(path)) return this.#parse(path, user, true);
    const hint = suggestAmong(wanted, this.names());
    throw new FixtureError(`fixture ${wanted}: ${this.#flawOf(wanted) ?? `no such name or file${hint}`}`);
  }

  #parse(path: string, user: FixtureUser, mayIncludePaths: boolean): FixtureFile {
    const text = readText(path);
    const proven = this.#proven.size > 0 && this.#proven.has(digestOf(text));
    const content = parse(path, text, user);
    if (user === 'control API') checkIsFixture(content, path);
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
    const meant = basename(wanted.slice(-MAX_SHOWN).replaceAll('\\', '/'), extname(wanted));
    return `it must be the name of a fixture, not a path${suggestAmong(meant, this.names())}`;
  }

  #flawOf(name: string): string | undefined {
    return this.#folders.map((folder) => filesOf(folder).unusable.get(name)).find((flaw) => flaw);
  }
}

const filesOf = (folder: string) => namedFilesOf(folder, { extensions: EXTENSIONS });

const shown = (text: string) => (text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`);

function readText(path: string): string {
  try {
    return readRegularFile(path);
  } catch (thrown) {
    throw thrown instanceof FileError ? new FixtureError(thrown.message) : thrown;
  }
}

function parse(path: string, text: string, user: FixtureUser): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // The engine's message quotes the file.
    const [position = ''] = / at position \d+/.exec((thrown as Error).message) ?? [];
    const reason = user === 'command line' ? (thrown as Error).message : `it is not JSON${position}`;
    throw new FixtureError(`${path}: ${reason}`);
  }
}

/** Error messages name members, so the content of files that are no fixtures must not reach a caller. */
function checkIsFixture(content: unknown, path: string): void {
  const isFixture = isObject(content) && Object.keys(content).some((member) => KNOWN_MEMBERS.has(member));
  if (!isFixture) throw new FixtureError(`${path}: it is not a fixture: it has no collection and no include`);
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set([...COLLECTIONS, 'include']);
/** The message names the file, the path in it and the reason. */
export class FixtureError extends Error {
  /** All violations; the message has the first. */
  readonly violations: readonly FieldViolation[];

  constructor(message: string, violations: readonly FieldViolation[] = []) {
    super(message);
    this.violations = violations;
  }

  /** `violations` must not be empty. */
  static of(file: string, violations: readonly FieldViolation[]): FixtureError {
    const [{ field, description }] = violations as [FieldViolation];
    return new FixtureError(`${file}: ${field}: ${description}`, violations);
  }

  /** The error for the caller. */
  toApiError(): ApiError {
    return new ApiError('invalid_argument', this.message, { violations: this.violations });
  }
}
