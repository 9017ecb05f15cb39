// The order of the folders of src/: a folder imports only what stands in a line above its own, types included. Prints the
// arrow and the line of each import that does not, and fails.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ORDER = [
  'text errors.ts files.ts log.ts mcp load-program.ts',
  'contract',
  'rows',
  'store',
  'state',
  'pages',
  'scenarios',
  'fixtures',
  'journal metrics',
  'documents.ts config.ts service-log.ts open-log.ts',
  'webhooks',
  'coverage',
  'environment',
  'interceptors',
  'client',
  'report agents',
  'operations',
  'pipeline',
  'control',
  'server',
  'cluster',
  'open-store.ts calls-out.ts unknown-names.ts',
  'open-environments.ts',
  'simulator.ts',
  'cli',
  'testing dashboard',
  'main.ts launch.ts',
];

const LEVELS = new Map(ORDER.flatMap((line, level) => line.split(' ').map((name) => [name, level])));
/** `import … from '…'`, `export … from '…'`, `import('…')` and `typeof import('…')`. */
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

const roomOf = (file) => relative('src', file).split('/')[0];

function* importsOf(file) {
  const text = readFileSync(file, 'utf8');
  for (const { 1: specifier, index } of text.matchAll(IMPORT))
    yield { to: join(dirname(file), specifier), line: text.slice(0, index).split('\n').length };
}

const wrongArrows = [];
const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => join(parentPath, name));
for (const file of files.toSorted()) {
  const from = roomOf(file);
  if (!LEVELS.has(from))
    wrongArrows.push(`${file}: ${from} has no place in the order of scripts/check-arrows.mjs`);
  for (const { to, line } of importsOf(file)) {
    const room = roomOf(to);
    if (!to.startsWith('src/') || room === from || LEVELS.get(room) < LEVELS.get(from)) continue;
    wrongArrows.push(
      `${file}:${line}: ${from} may not import ${room} (${to}), which does not come before it`,
    );
  }
}

console.log(wrongArrows.join('\n') || `${files.length} files import only folders that come before their own`);
process.exitCode = wrongArrows.length > 0 ? 1 : 0;
