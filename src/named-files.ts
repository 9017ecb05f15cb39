import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { extname, join, resolve, sep } from 'node:path';

/** What a folder has for a name. */
export interface NamedFiles {
  /** File by name: without its extension. */
  readonly files: ReadonlyMap<string, string>;
  /** By name, why a file that looks like one is none. */
  readonly unusable: ReadonlyMap<string, string>;
}

export interface NamedFileRules {
  extensions: readonly string[];
  /** Endings of files that have another use. */
  except?: readonly string[];
  /** Only a person on this machine can name these files, who may well have put a link there. */
  linksMayLeave?: boolean;
}

/**
 * The files of a folder that a name can stand for, in the order of their names. A link that leads out of the folder is
 * none: over HTTP a name must reach nothing but what is in the folder.
 */
export function namedFilesOf(folder: string, rules: NamedFileRules): NamedFiles {
  const { extensions, except = [], linksMayLeave = false } = rules;
  const files = new Map<string, string>();
  const unusable = new Map<string, string>();
  for (const entry of entriesOf(folder)) {
    const extension = extname(entry.name);
    if (!extensions.includes(extension) || except.some((ending) => entry.name.endsWith(ending))) continue;
    const name = entry.name.slice(0, -extension.length);
    const flaw = linksMayLeave && entry.isSymbolicLink() ? undefined : flawOf(entry, folder);
    if (flaw === undefined) files.set(name, join(folder, entry.name));
    else unusable.set(name, `${join(folder, entry.name)} is ${flaw}`);
  }
  return { files, unusable };
}

export const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const entriesOf = (folder: string): Dirent[] =>
  isFolder(folder)
    ? readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    : [];

function flawOf(entry: Dirent, folder: string): string | undefined {
  if (entry.isFile()) return undefined;
  if (!entry.isSymbolicLink()) return 'not a regular file';
  return leadsInside(join(folder, entry.name), folder)
    ? undefined
    : 'a link that leads out of its folder, or nowhere: put a copy of the file there';
}

function leadsInside(link: string, folder: string): boolean {
  try {
    return realpathSync(resolve(link)).startsWith(realpathSync(folder) + sep);
  } catch {
    return false; // it leads nowhere, or round in a circle
  }
}
