// Writes docs/supported-operations.md, the list of all operations. With --check, fails if the file is out of date, or if an
// operation answers no success.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'docs/supported-operations.md';
const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

const { paths } = JSON.parse(readFileSync('dist/openapi.json', 'utf8'));
const operations = new Map();
for (const [path, item] of Object.entries(paths)) {
  for (const verb of VERBS.filter((each) => item[each])) {
    const { operationId, summary, responses } = item[verb];
    const isBuilt = Object.keys(responses).some((status) => status < 400);
    const id = operationId.replace(/\d+$/, '');
    const known = operations.get(id) ?? { summary, isBuilt, calls: [] };
    known.calls.push(`\`${verb.toUpperCase()} ${path}\``);
    operations.set(id, known);
  }
}

const written = page();
if (!process.argv.includes('--check')) writeFileSync(FILE, written);
else if (readFileSync(FILE, 'utf8') !== written) {
  console.error(`${FILE} lags behind the contract: npm run generate:docs`);
  process.exitCode = 1;
}

const missing = [...operations].filter(([, { isBuilt }]) => !isBuilt).map(([id]) => id);
if (missing.length > 0) {
  console.error(`these operations answer no success: ${missing.join(', ')}`);
  process.exitCode = 1;
}

function page() {
  const rows = [...operations].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = rows.map(([id, { summary, calls }]) => `| ${id} | ${calls.join('<br>')} | ${summary} |`);
  return [
    '# Supported operations',
    '',
    `Understudy simulates ${rows.length} operations, all that the service is known to have.`,
    'The first column is the name that scenarios, the journal and coverage use. `npm run generate:docs` writes this page.',
    '',
    '| operation | calls | does |',
    '| --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}
