// Makes what a release publishes, in the folder `release/`, and fails if a part is missing or has another version.
//
//   node scripts/release.mjs                 a dry run: what only other machines make may be missing
//   node scripts/release.mjs --tag v0.2.0    for a release: everything must be there, executables too
//   node scripts/release.mjs --check …       makes nothing, and checks what is there
//
// It needs `npm run build`, and `npm run test:clients` for Python and Java. `--folder` names another folder.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { problemsOf } from './release-parts.mjs';

const { values } = parseArgs({
  options: {
    tag: { type: 'string' },
    check: { type: 'boolean', default: false },
    folder: { type: 'string', default: 'release' },
  },
});
const isDryRun = values.tag === undefined;
const folder = resolve(values.folder);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const at = (name) => join(folder, name);
const run = (command, args, options) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });

/** A part that cannot be made is missing at the end, with this reason. */
const reasons = [];
/** A dry run does without the parts whose tools this machine lacks. */
const skipped = [];
function attempt(part, make) {
  try {
    make();
  } catch (thrown) {
    if (isDryRun && thrown.code === 'ENOENT') skipped.push(part);
    else reasons.push(`${part}: ${thrown.message.split('\n')[0]}`);
  }
}

function makeNpm() {
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]);
}

function makePython() {
  const python = resolve('clients/python/.venv/bin/python');
  run(python, ['-m', 'hatchling', 'build', '--directory', folder], { cwd: 'clients/python' });
}

/** The layout that Maven Central takes. A dry run signs nothing. */
function makeMaven() {
  const skip = isDryRun ? ['-Dgpg.skip'] : [];
  const goals = ['--batch-mode', '--quiet', '-Prelease', '-DskipTests', ...skip, 'verify'];
  run('mvn', goals, { cwd: 'clients/java' });
  const name = `understudy-junit-${version}`;
  const bundle = at('bundle');
  const place = join(bundle, 'dev', 'understudy', 'understudy-junit', version);
  mkdirSync(place, { recursive: true });
  cpSync('clients/java/pom.xml', join(place, `${name}.pom`));
  for (const file of readdirSync('clients/java/target').filter((each) => each.startsWith(name)))
    if (/\.(jar|pom)(\.asc)?$/.test(file)) cpSync(join('clients/java/target', file), join(place, file));
  for (const file of readdirSync(place).filter((each) => !each.endsWith('.asc')))
    for (const kind of ['md5', 'sha1'])
      writeFileSync(join(place, `${file}.${kind}`), digest(kind, join(place, file)));
  run('jar', ['--create', '--no-manifest', '--file', at(`${name}-bundle.zip`), '-C', bundle, 'dev']);
  rmSync(bundle, { recursive: true });
}

/** Go takes the modules from tags of the repository. */
function makeGo() {
  writeFileSync(
    at('go-tags.txt'),
    ['', '/understudycontainer'].map((each) => `clients/go${each}/v${version}\n`).join(''),
  );
}

function makeNotes() {
  const wanted = isDryRun ? 'Unreleased' : version;
  const [, text] = readFileSync('CHANGELOG.md', 'utf8').split(`\n## [${wanted}]`);
  if (!text) throw new Error(`CHANGELOG.md has no section [${wanted}]`);
  writeFileSync(
    at('NOTES.md'),
    `${text
      .split(/\n## \[/)[0]
      .replace(/^.*\n/, '')
      .trim()}\n`,
  );
}

function takeExecutables() {
  const made = existsSync('executable') ? readdirSync('executable') : [];
  for (const file of made.filter((each) => !each.endsWith('.sha256')))
    cpSync(join('executable', file), at(file));
}

function digest(kind, file) {
  return createHash(kind).update(readFileSync(file)).digest('hex');
}

function writeSums() {
  const files = readdirSync(folder).filter((file) => !/^(SHA256SUMS|NOTES\.md|go-tags\.txt)$/.test(file));
  writeFileSync(at('SHA256SUMS'), files.map((file) => `${digest('sha256', at(file))}  ${file}\n`).join(''));
}

if (!values.check) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  attempt('npm package', makeNpm);
  attempt('Python', makePython);
  attempt('Maven', makeMaven);
  attempt('tags', makeGo);
  attempt('notes', makeNotes);
  attempt('executables', takeExecutables);
  writeSums();
}
const { problems, elsewhere } = problemsOf({ folder, version, tag: values.tag, skipped });
for (const each of elsewhere) console.log(`not made here: ${each}`);
for (const each of [...reasons, ...problems]) console.error(`release: ${each}`);
if (reasons.length + problems.length > 0) process.exitCode = 1;
else console.log(`${readdirSync(folder).length} files of ${version} are in ${folder}`);
