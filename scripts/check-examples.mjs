// Writes each `ts` block of README.md and docs/ to a file in test/docs/.examples and checks its types. Blocks that import
// vitest become tests, which `npm run test:docs` runs.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pageFiles, readPage } from './markdown.mjs';

const FOLDER = 'test/docs/.examples';
const SETTINGS = {
  extends: '../../../tsconfig.json',
  // Examples may declare names that they do not use.
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  include: ['*.ts'],
};

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(SETTINGS));
for (const { file, blocks } of pageFiles().map(readPage))
  for (const { language, text, line, reason, source } of blocks)
    if (language === 'ts' && reason === undefined && source === undefined) write(file, line, text);

const manifest = createRequire(import.meta.url).resolve('typescript-7/package.json');
process.exitCode =
  spawnSync(process.execPath, [join(dirname(manifest), 'bin/tsc'), '-p', FOLDER], { stdio: 'inherit' })
    .status ?? 1;

/** Keeps the line numbers of the page. */
function write(page, line, text) {
  const isTest = /from '(understudy-server\/)?vitest'/.test(text);
  const name = `${basename(page, '.md').toLowerCase()}-${line}${isTest ? '.test' : ''}.ts`;
  writeFileSync(join(FOLDER, name), `${'\n'.repeat(line - 1)}${text}`);
}
