import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/**
 * The bundle in that file, with the code that V8 made of it at build time: compiling is a quarter of a start. Another
 * Node compiles anew. What hooks into `require` (transpilers, jest) has no part in it.
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
  // Imported, it would be what a test runner puts in its place.
  const require = process.getBuiltinModule('node:module').createRequire(file);
  script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
  return { program: module.exports, script };
}
