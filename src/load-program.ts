import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** The file with the compiled code of a bundle. Each version of V8 has its own. */
export function compiledCodeOf(bundle: string): string {
  return `${bundle}.${process.versions.v8.split('-')[0]!}-${process.arch}.cache`;
}

/**
 * Loads a bundle with the code that V8 compiled earlier, because compiling takes a third of the start. Hooks into
 * `require` (transpilers, jest) are bypassed. The build writes the bundle in ASCII.
 */
export function loadProgram(file: string): { program: unknown; script: Script } {
  const cache = compiledCodeOf(file);
  const [head, tail] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];
  const script = new Script(head + readFileSync(file, 'latin1') + tail, {
    filename: file,
    columnOffset: -head.length,
    ...(existsSync(cache) && { cachedData: readFileSync(cache) }),
  });
  const module = { exports: {} };
  // A test runner replaces imported modules.
  const require = process.getBuiltinModule('node:module').createRequire(file);
  script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
  return { program: module.exports, script };
}
