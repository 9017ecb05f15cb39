import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../support/process.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A program that says of itself that it is a Node of this version. */
function nodeThatIs(version: string): string {
  const folder = join(makeFolder(), 'bin');
  mkdirSync(folder);
  const file = join(folder, 'node');
  const told = JSON.stringify({ version, platform: 'linux', arch: 'x64' });
  writeFileSync(file, `#!/bin/sh\necho '${told}'\n`, { mode: 0o755 });
  return file;
}

function build(node: string) {
  const env = { ...process.env, NODE_FOR_EXECUTABLE: node };
  const args = [join(ROOT, 'scripts/executable.mjs'), join(makeFolder(), 'understudy')];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env });
  return { status, stderr };
}

describe('npm run build:executable', () => {
  it('names the oldest Node that makes an executable', () => {
    const node = nodeThatIs('25.4.0');

    expect(build(node)).toEqual({
      status: 1,
      stderr: `build:executable: ${node} is Node 25.4.0, and Node 25.5 or later makes the executable. Run this script with a newer Node, or name one in NODE_FOR_EXECUTABLE\n`,
    });
  });

  it('says so if the Node has no licence beside it', () => {
    const node = nodeThatIs('25.5.0');

    expect(build(node)).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^build:executable: \S+ has no file LICENSE in its folder or the folder above, and [^\n]+\n$/,
      ),
    });
  });

  it('says so if there is no such Node', () => {
    expect(build('/nowhere/node')).toEqual({
      status: 1,
      stderr:
        'build:executable: /nowhere/node is not a Node that runs here: spawnSync /nowhere/node ENOENT\n',
    });
  });

  it('needs the version that the pages name', () => {
    for (const page of ['docs/getting-started.md', 'CONTRIBUTING.md', '.github/workflows/release.yml'])
      expect(readFileSync(join(ROOT, page), 'utf8')).toContain('Node 25.5 or later');
  });
});
