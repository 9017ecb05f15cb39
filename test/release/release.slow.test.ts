import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../support/process.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const PACKAGE = `understudy-server-${version}.tgz`;
const OTHERS = [
  `understudy_testing-${version}-py3-none-any.whl`,
  `understudy_testing-${version}.tar.gz`,
  `understudy-junit-${version}-bundle.zip`,
  'go-tags.txt',
  'NOTES.md',
  'SHA256SUMS',
];

/** A folder with every file of a dry run; only the npm package is a real archive. */
function release(manifest: object = { publishConfig: { provenance: true } }): string {
  const folder = makeFolder();
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
  spawnSync('tar', ['-czf', PACKAGE, 'package'], { cwd: folder });
  for (const file of OTHERS) writeFileSync(join(folder, file), '');
  return folder;
}

function check(folder: string, ...args: string[]) {
  const command = ['scripts/release.mjs', '--check', '--folder', folder, ...args];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, stderr };
}

it('a dry run passes with every part that this machine makes', () => {
  expect(check(release())).toEqual({ status: 0, stderr: '' });
});

it.each([PACKAGE, ...OTHERS])('a dry run fails without %s', (file) => {
  const folder = release();
  rmSync(join(folder, file));

  expect(check(folder)).toEqual({ status: 1, stderr: expect.stringContaining(` is missing: ${file}\n`) });
});

it('a dry run fails without the field that asks npm for provenance', () => {
  expect(check(release({}))).toEqual({
    status: 1,
    stderr: expect.stringContaining('does not ask for provenance'),
  });
});

it('a file that is not what the checksums list is named', () => {
  const folder = release();
  const sum = createHash('sha256').update('other').digest('hex');
  writeFileSync(join(folder, 'SHA256SUMS'), `${sum}  go-tags.txt\n${sum}  gone\n`);

  const { stderr } = check(folder);

  expect(stderr).toContain('go-tags.txt is not what SHA256SUMS lists');
  expect(stderr).toContain('SHA256SUMS lists gone, which is missing');
});

it('a release also needs its own tag, every executable, and the repository', () => {
  const { status, stderr } = check(release(), '--tag', 'v99.0.0');

  expect(status).toBe(1);
  expect(stderr).toContain(`the tag is v99.0.0, and package.json has the version ${version}`);
  expect(stderr).toContain('the executable understudy-win32-x64.exe is missing');
  expect(stderr).toContain('package.json names no repository');
});
