import type { Script } from 'node:vm';

// Imports of these modules would make Node load others too, such as readline, and a start would take a twentieth longer.
const { createHash } = process.getBuiltinModule('node:crypto');
const { readFileSync } = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const path = process.getBuiltinModule('node:path');
const vm = process.getBuiltinModule('node:vm');

/** The file with the compiled code of a bundle that the build writes, for its version of V8. */
export const compiledCodeOf = (bundle: string) => `${bundle}.${VERSION}.cache`;

/** The file that a start writes if V8 does not accept that of the build: each version and each choice of flags has its own. */
export function localCompiledCodeOf(bundle: string): string {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').trim();
  const hash = flags && `.${createHash('sha256').update(flags).digest('hex').slice(0, 32)}`;
  return `${bundle}.${VERSION}${hash}.local.cache`;
}

const VERSION = `${process.versions.v8.split('-')[0]!}-${process.arch}`;

/**
 * Loads a bundle with the code that V8 compiled earlier, because compiling takes a third of the start. Hooks into
 * `require` (transpilers, jest) are bypassed. The build writes the bundle in ASCII.
 */
export function loadProgram(file: string): { program: unknown; script: Script } {
  const cachedData = readIfThere(localCompiledCodeOf(file)) ?? readIfThere(compiledCodeOf(file));
  const [head, tail] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];
  const script = new vm.Script(head + readFileSync(file, 'latin1') + tail, {
    filename: file,
    columnOffset: -head.length,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  script
    .runInThisContext()
    .call(module.exports, module.exports, createRequire(file), module, file, path.dirname(file));
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
