import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/**
 * Loads a bundle with V8's code cache from the build, because compiling takes a quarter of the start. Other versions
 * of Node compile again. Hooks into `require` (transpilers, jest) are bypassed.
 */
export function loadProgram(file: string): { program: unknown; script: Script } {
  const cache = `${file}.cache`;
  const [head, tail] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];
  const script = new Script(head + readFileSync(file, 'utf8') + tail, {
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
