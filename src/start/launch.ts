#!/usr/bin/env node
import type { Script } from 'node:vm';
import { loadProgram, localCompiledCodeOf } from './load-program.ts';

const { renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const { fileURLToPath } = process.getBuiltinModule('node:url');

/**
 * The file name of the main bundle, set by the build. It contains a hash, because a code cache fits one text only.
 */
declare const PROGRAM: string;

interface Program {
  run: () => void;
  /** Whether the process served calls, so that V8 has compiled what a start needs. */
  hasServed: () => boolean;
}

/**
 * Milliseconds from the start until the first calls have probably come. Later, V8 drops the code of functions that have not run
 * for some time, so code that is kept at the end of a long run makes the next starts half as fast.
 */
const FIRST_CALLS = 3000;

const file = fileURLToPath(new URL(PROGRAM, import.meta.url));

if (process.sourceMapsEnabled) (createRequire(file)(file) as Program).run();
else run();

function run(): void {
  const { program, script } = loadProgram(file);
  const { run, hasServed } = program as Program;
  run();
  if (script.cachedDataRejected === false) return; // V8 has used the compiled code
  let isKept = false;
  const keep = () => {
    if (hasServed() && !isKept) keepCompiledCode(script);
    isKept = true;
  };
  setTimeout(keep, FIRST_CALLS).unref();
  process.once('exit', keep);
}

/** The build does this too, but a V8 of another version, or with other flags, cannot use what it wrote. */
function keepCompiledCode(script: Script): void {
  const written = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(written, script.createCachedData());
    renameSync(written, localCompiledCodeOf(file));
  } catch {
    rmSync(written, { force: true }); // the folder cannot be written to: the next start compiles again
  }
}
