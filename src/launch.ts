#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { loadProgram } from './load-program.ts';

/** File name of the bundle that main.ts became; the build fills it in. It has a hash: a cache fits one text alone. */
declare const PROGRAM: string;

interface Program {
  run(): void;
}

const file = fileURLToPath(new URL(PROGRAM, import.meta.url));

if (process.sourceMapsEnabled) (createRequire(file)(file) as Program).run();
else run();

function run(): void {
  const { program, script } = loadProgram(file);
  (program as Program).run();
  // Asked for by the build, when it has called what a start needs.
  if (process.env['UNDERSTUDY_WRITE_CODE_CACHE'])
    process.once('exit', () => writeFileSync(`${file}.cache`, script.createCachedData()));
}
