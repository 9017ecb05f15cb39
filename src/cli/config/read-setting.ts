import { isAbsolute } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Complaints } from '../../scenarios/complaints.ts';
import { isFileName } from '../../scenarios/folders.ts';
import { parseReference, type Path } from '../../scenarios/path.ts';
import { oneOf } from '../../text/suggestion.ts';
import type { ListReader } from '../option-values.ts';
import type { Setting } from './settings.ts';

interface Context {
  /** Relative paths start here. */
  folder: string;
  complaints: Complaints;
}

/** Reads the value of a setting as its flag does, and adds what is wrong to the complaints. */
export function readSetting(setting: Setting, written: unknown, context: Context): unknown {
  const { kind, key } = setting;
  const { complaints } = context;
  if (kind === 'switch') {
    if (typeof written !== 'boolean') complaints.add([key], 'must be true or false');
    return written;
  }
  if (kind !== 'list') return readValue(setting, written, [key], context);
  if (Array.isArray(written))
    return written.map((each, index) => readValue(setting, each, [key, index], context));
  complaints.add([key], 'must be a list of strings');
  return written;
}

/** Reads a single value, or an entry of a list. */
function readValue(setting: Setting, written: unknown, path: Path, { folder, complaints }: Context): unknown {
  const flaw = flawIn(setting, written);
  if (flaw !== undefined) {
    complaints.add(path, flaw);
    return written;
  }
  try {
    return readerOf(setting)(locatedAt(folder, String(written), setting));
  } catch (thrown) {
    if (!(thrown instanceof InvalidArgumentError)) throw thrown;
    complaints.add(path, thrown.message.replace(/^It /, '').replace(/\.$/, ''));
    return written;
  }
}

function flawIn({ kind, option: { argChoices } }: Setting, value: unknown): string | undefined {
  if (kind === 'number') return Number.isInteger(value) ? undefined : 'must be a whole number';
  if (typeof value === 'number' || typeof value === 'boolean') return `must be a string: write "${value}"`;
  if (typeof value !== 'string') return 'must be a string';
  return argChoices && !argChoices.includes(value) ? oneOf(argChoices, value) : undefined;
}

function readerOf({ kind, option: { parseArg } }: Setting): (text: string) => unknown {
  if (kind === 'list') return (parseArg as ListReader).entry;
  return (text) => (parseArg ? parseArg(text, undefined as never) : text);
}

/** `fixture` and `scenario` take names, too. */
const NAMED_FILES = ['fixture', 'scenario'];

function locatedAt(folder: string, text: string, { key, placeholder = '' }: Setting): string {
  const isPath = ['file', 'folder'].includes(placeholder);
  const isFile = NAMED_FILES.includes(key) && isFileName(parseReference(text).name);
  return folder === '.' || isAbsolute(text) || !(isPath || isFile) ? text : `${folder}/${text}`;
}
