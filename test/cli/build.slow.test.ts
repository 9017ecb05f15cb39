import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { replaceFolder } from '../../scripts/replace-folder.mjs';
import { makeFolder } from '../support/process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PARTS = [
  'dist',
  'docs',
  'fixtures',
  'openapi',
  'packages',
  'scenarios',
  'scripts',
  'src',
  'LICENSE',
  'package.json',
  'tsconfig.json',
];
const { exports: exported } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: object;
};
/** The files that `exports` in package.json names. */
const IMPORTED = [...new Set(JSON.stringify(exported).match(/(?<=dist\/)[\w.-]+/g))];

function filesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** A bundle's name contains a hash of its inputs, whose paths differ between folders. */
const names = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map((name) => String(name).replace(/-[A-Z0-9]{8}\./, '.'))
    .filter((name) => !name.endsWith('.local.cache')) // an earlier start has written it
    .toSorted();

it('dist/ is complete during and after a build, while another one replaces it', async () => {
  const folder = makeFolder();
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const dist = join(folder, 'dist');
  let isBuilding = true;
  const missing = new Set<string>();
  // What the other build does, without its cost.
  const replace = () => {
    cpSync(join(ROOT, 'dist'), `${dist}-other`, { recursive: true });
    replaceFolder(dist, `${dist}-other`);
  };

  const build = promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: folder });
  const built = build.finally(() => (isBuilding = false));
  for (let round = 0; isBuilding; round += 1) {
    if (round < 20) replace();
    // Between two renames the folder does not exist, which is not the same as an incomplete folder.
    const files = filesIn(dist) ?? IMPORTED;
    for (const name of IMPORTED) if (!files.includes(name)) missing.add(name);
    await setTimeout(20); // checking without a pause would take processor time from the build
  }
  await built;

  expect([...missing]).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  expect(names(dist)).toEqual(names(join(ROOT, 'dist')));
});
