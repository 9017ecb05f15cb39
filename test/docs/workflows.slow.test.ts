import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../support/process.ts';

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7';
const PAGE = join(import.meta.dirname, '../../docs/drift.md');

const lint = (args: string[], cwd?: string) =>
  spawnSync('go', ['run', ACTIONLINT, ...args], { encoding: 'utf8', timeout: 240_000, cwd });

it('the workflow that users copy has no mistake that actionlint knows', { timeout: 300_000 }, ({ skip }) => {
  if (lint(['-version']).status !== 0) skip('Go is not there, or cannot fetch actionlint');
  const [, workflow] = /```yaml\n(name: drift\n[^]*?)```/.exec(readFileSync(PAGE, 'utf8'))!;
  const cwd = makeFolder();
  const folder = join(cwd, '.github/workflows');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'drift.yml'), workflow!);

  const { status, stdout } = lint(['-no-color', join(folder, 'drift.yml')]);

  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
