#!/usr/bin/env node
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Script } from 'node:vm';
import { compiledCodeOf, loadProgram, localCompiledCodeOf } from './load-program.ts';

/**
 * The file name of the main bundle, set by the build. It contains a hash, because a code cache fits one text only.
 */
declare const PROGRAM: string;

interface Program {
  run: () => void;
  /** Whether the process served calls, so that V8 has compiled what a start needs. */
  hasServed: () => boolean;
}

const file = fileURLToPath(new URL(PROGRAM, import.meta.url));

if (process.sourceMapsEnabled) (createRequire(file)(file) as Program).run();
else run();

function run(): void {
  const { program, script } = loadProgram(file);
  const { run, hasServed } = program as Program;
  run();
  if (script.cachedDataRejected === false) return; // V8 has used the compiled code
  process.once('exit', () => {
    if (hasServed()) keepCompiledCode(script);
  });
}

/** The build does this too, but V8 of another version, or with other flags, refuses what it wrote. */
function keepCompiledCode(script: Script): void {
  const written = `${file}.${process.pid}.tmp`;
  const usual = compiledCodeOf(file);
  try {
    writeFileSync(written, script.createCachedData());
    renameSync(written, existsSync(usual) ? localCompiledCodeOf(file) : usual);
  } catch {
    // The folder is read-only: the next start compiles again.
  }
}
