#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/** File name of the bundle that main.ts became; the build fills it in. It has a hash: a cache fits one text alone. */
declare const PROGRAM: string;

interface Program {
  run(): void;
}

const file = fileURLToPath(new URL(PROGRAM, import.meta.url));
const cache = `${file}.cache`;
const require = createRequire(file);

const program = process.sourceMapsEnabled ? (require(file) as Program) : load();
program.run();

/** With the code that V8 made of it at build time: compiling is a quarter of a start. Another Node compiles anew. */
function load(): Program {
  const [head, tail] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];
  const script = new Script(head + readFileSync(file, 'utf8') + tail, {
    filename: file,
    columnOffset: -head.length,
    ...(existsSync(cache) && { cachedData: readFileSync(cache) }),
  });
  const module = { exports: {} as Program };
  script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
  // Asked for by the build, when it has called what a start needs.
  if (process.env['UNDERSTUDY_WRITE_CODE_CACHE'])
    process.once('exit', () => writeFileSync(cache, script.createCachedData()));
  return module.exports;
}
