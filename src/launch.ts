#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { loadProgram } from './load-program.ts';

/**
 * The file name of the main bundle, set by the build. It contains a hash, because a code cache fits one text only.
 */
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
  // Set by the build, which first makes the calls of a usual start.
  if (process.env['UNDERSTUDY_WRITE_CODE_CACHE'])
    process.once('exit', () => writeFileSync(`${file}.cache`, script.createCachedData()));
}
