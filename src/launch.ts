#!/usr/bin/env node
import { renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Script } from 'node:vm';
import { compiledCodeOf, loadProgram } from './load-program.ts';

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
  if (script.cachedDataRejected !== undefined) return; // there was compiled code; V8 may refuse it for its flags
  process.once('exit', () => {
    if (hasServed()) keepCompiledCode(script);
  });
}

/** The build does this too, but another version of V8 cannot read what it wrote. Read-only folders stay without. */
function keepCompiledCode(script: Script): void {
  const written = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(written, script.createCachedData());
    renameSync(written, compiledCodeOf(file));
  } catch {
    // The next start compiles again.
  }
}
