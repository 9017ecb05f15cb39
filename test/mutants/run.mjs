// Changes one operator or constant of a file at a time, and runs tests against each change: what no test notices is a rule
// without a test.
// usage: npm run test:mutants -- FILE|FOLDER… [--tests FILE|FOLDER…]
// Without --tests, the tests of the folder with the same name. The files of the checkout change while it runs, and are restored.
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';

const given = process.argv.slice(2);
const end = given.includes('--tests') ? given.indexOf('--tests') : given.length;
const [places, own] = [given.slice(0, end), given.slice(end + 1)];
if (places.length === 0) fail('usage: npm run test:mutants -- FILE|FOLDER… [--tests FILE|FOLDER…]');
if (execFileSync('git', ['status', '--porcelain', '--', ...places], { encoding: 'utf8' }) !== '')
  fail('commit what has changed first: the files are changed in place');

const isFolder = (path) => statSync(path).isDirectory();
const sourcesOf = (path) => (isFolder(path) ? `${path.replace(/\/$/, '')}/**/*.ts` : path);
const tests = own.length > 0 ? own : places.map(testsOf);

/** `src/rows/` has its tests in `test/rows/`, and a package has its own. */
function testsOf(path) {
  const folder = isFolder(path) ? path : path.replace(/\/[^/]+$/, '');
  const [, name] = /^(packages\/\w+)\//.exec(`${folder}/`) ?? [];
  return name === undefined ? folder.replace(/^src\//, 'test/') : `${name}/test`;
}

const WORK = 'node_modules/.cache/mutants';
mkdirSync(WORK, { recursive: true });
const include = tests.map((path) => (isFolder(path) ? `${path.replace(/\/$/, '')}/**/*.test.ts` : path));
writeFileSync(
  `${WORK}/vitest.config.mjs`,
  `export default { test: ${JSON.stringify({
    include,
    exclude: ['**/node_modules/**', '**/*.slow.test.ts'],
    testTimeout: 120_000,
  })} };\n`,
);

const results = await new Stryker({
  inPlace: true,
  mutate: places.map(sourcesOf),
  testRunner: 'vitest',
  vitest: { configFile: `${WORK}/vitest.config.mjs`, related: false },
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  tempDirName: `${WORK}/copy`,
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { logTests: false, allowColor: process.stdout.isTTY },
  disableTypeChecks: false,
  // A text of a message is no rule.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
  ignoreStatic: false,
  timeoutMS: 30_000,
  allowEmpty: false,
}).runMutationTest();

const noticed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
const counted = results.filter(({ status }) =>
  ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status),
).length;
console.log(`${noticed} of ${counted} changes were noticed (${((100 * noticed) / counted).toFixed(1)} %)`);

function fail(message) {
  console.error(message);
  process.exit(2);
}
