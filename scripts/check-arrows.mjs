// A folder of src/ imports only what stands before it in the table of docs/maintainers/architecture.md, types included. A package under packages/
// imports itself, Node's modules and what its package.json lists; if that is src/, a folder of src/ imports the package
// only from below it in the table. The packages that src/parts.ts lists can be deleted: no other file of src/ or test/ imports
// them, and no package does. Prints each import that breaks this order, with its line, and fails.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The files of src/ itself, by the folder that they come after. They may import each other. */
const FILES = {
  control: ['parts.ts'],
  server: ['simulator.ts'],
  cli: ['main.ts'],
};

/** The folders of the table, in order: `state` for src/state/, `packages/client` for that package. */
const [table] = readFileSync('docs/maintainers/architecture.md', 'utf8').match(/^\| folders[^]*?\n\n/m);
const folders = Array.from(
  table.matchAll(/`(?:src\/(\w+)|(packages\/\w+))\/`/g),
  ([, folder, name]) => folder ?? name,
);

const places = new Map(folders.map((name, index) => [name, index]));
for (const [folder, files] of Object.entries(FILES))
  for (const file of files) places.set(file, places.get(folder) + 0.5);

/** `import … from '…'`, `export … from '…'`, `import('…')` and `typeof import('…')`. */
const IMPORT = /\b(?:from\s+|import\s*\(?\s*)'([^']+)'/g;

/** The folder of a file, or the file itself if it is in no folder. */
const roomOf = (file) => relative('src', file).split('/')[0];

function* importsOf(file) {
  const text = readFileSync(file, 'utf8');
  for (const { 1: specifier, index } of text.matchAll(IMPORT))
    yield {
      to: specifier.startsWith('.') ? join(dirname(file), specifier) : specifier,
      line: text.slice(0, index).split('\n').length,
    };
}

function mayImport(from, to) {
  const [here, there] = [places.get(from), places.get(to)];
  return from === to || there < here || (there === here && !Number.isInteger(here));
}

/** What the project that imports a package has installed. */
const INSTALLED = {
  // The declarations that `understudy types` writes.
  commands: ['understudy-server/control'],
  client: ['@jest/globals', '@playwright/test', 'testcontainers', 'vitest'],
  // The examples that the dashboard shows.
  dashboard: ['@scalekit-sdk/node'],
  // The programs of `understudy sweep --sdk`.
  sweep: ['@scalekit-sdk/node'],
};

/** The files of the published package that packages may read. */
const PUBLISHED = ['scenarios/'];

/** What the package.json of a package lists. */
const dependenciesOf = (name) =>
  Object.keys(JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')).dependencies ?? {});

const packageOf = (specifier) => /^@understudy\/(\w+)\//.exec(specifier)?.[1];

const REGISTER = 'src/parts.ts';

/** The packages that the register lists. */
const deletable = new Set(
  Array.from(readFileSync(REGISTER, 'utf8').matchAll(/'@understudy\/(\w+)\/part'/g), ([, name]) => name),
);

function mayImportPackage(file, name) {
  if (deletable.has(name)) return file === REGISTER;
  return !dependenciesOf(name).includes('@understudy/core') || mayImport(roomOf(file), `packages/${name}`);
}

const sourcesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();

const files = sourcesIn('src');
const homeless = [...new Set(files.map(roomOf))].filter((room) => !places.has(room));
const complaints = homeless.map(
  (room) => `src/${room} is neither in the table of docs/maintainers/architecture.md nor in FILES`,
);
for (const file of files)
  for (const { to, line } of importsOf(file)) {
    if (to.startsWith('src/') && !mayImport(roomOf(file), roomOf(to)))
      complaints.push(`${file}:${line}: src/${roomOf(file)} may not import src/${roomOf(to)} (${to})`);
    if (to.startsWith('packages/'))
      complaints.push(`${file}:${line}: import ${to} by the name of its package`);
    const name = packageOf(to);
    if (name !== undefined && name !== 'core' && !mayImportPackage(file, name))
      complaints.push(`${file}:${line}: src/${roomOf(file)} may not import packages/${name} (${to})`);
  }

for (const name of readdirSync('packages')) {
  for (const other of deletable)
    if (dependenciesOf(name).includes(`@understudy/${other}`))
      complaints.push(`packages/${name}/package.json may not list @understudy/${other}`);
  const folder = join('packages', name, 'src');
  const allowed = [`${folder}/`, 'node:', ...PUBLISHED, ...dependenciesOf(name), ...(INSTALLED[name] ?? [])];
  for (const file of sourcesIn(folder))
    for (const { to, line } of importsOf(file))
      if (!allowed.some((each) => to.startsWith(each)))
        complaints.push(`${file}:${line}: packages/${name} may not import ${to}`);
}

// The browser tests are those of the dashboard.
for (const file of sourcesIn('test').filter((each) => !each.startsWith('test/browser/')))
  for (const { to, line } of importsOf(file))
    if (deletable.has(packageOf(to) ?? /^packages\/(\w+)\//.exec(to)?.[1]))
      complaints.push(
        `${file}:${line}: a test outside of a package that can be deleted may not import ${to}`,
      );

for (const line of complaints) console.error(line);
if (complaints.length > 0) process.exitCode = 1;
