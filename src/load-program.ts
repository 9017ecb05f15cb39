import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

/** The file with the compiled code of a bundle. Each version of V8 has its own. The build writes that of its version. */
export function compiledCodeOf(bundle: string): string {
  return `${bundle}.${process.versions.v8.split('-')[0]!}-${process.arch}.cache`;
}

/** For a V8 that refuses the other file, for example because Node was started with other flags. */
export const localCompiledCodeOf = (bundle: string) => `${bundle}.${cachedDataVersionTag()}.local.cache`;

/**
 * Loads a bundle with the code that V8 compiled earlier, because compiling takes a third of the start. Hooks into
 * `require` (transpilers, jest) are bypassed. The build writes the bundle in ASCII.
 */
export function loadProgram(file: string): { program: unknown; script: Script } {
  const cachedData = readIfThere(localCompiledCodeOf(file)) ?? readIfThere(compiledCodeOf(file));
  const [head, tail] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];
  const script = new Script(head + readFileSync(file, 'latin1') + tail, {
    filename: file,
    columnOffset: -head.length,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  // A test runner replaces imported modules.
  const require = process.getBuiltinModule('node:module').createRequire(file);
  script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
  return { program: module.exports, script };
}

/** Undefined if the file cannot be read: the program works without it. */
function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
