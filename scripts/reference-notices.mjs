// Writes src/dashboard/reference/NOTICES.txt: the licences of the packages inside the viewer of the API reference, which
// comes bundled. Run it for a new version, in an empty folder beside no other packages:
//   npm install --ignore-scripts @stoplight/elements@VERSION react@16 react-dom@16
//   node …/scripts/reference-notices.mjs VERSION > …/src/dashboard/reference/NOTICES.txt
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ENTRY = "import { API } from '@stoplight/elements'; import { render } from 'react-dom'; render(API);";
const LINE = '='.repeat(80);
const NODE_OWN =
  /^(fs|path|util|stream|https?|url|buffer|punycode|assert|crypto|os|zlib|querystring|timers|events)(\/|$)/;
const MIT =
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated ' +
  'documentation files (the "Software"), to deal in the Software without restriction, including without limitation ' +
  'the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and ' +
  'to permit persons to whom the Software is furnished to do so, subject to the following conditions:\n\nThe above ' +
  'copyright notice and this permission notice shall be included in all copies or substantial portions of the ' +
  'Software.\n\nTHE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT ' +
  'LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT ' +
  'SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION ' +
  'OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER ' +
  'DEALINGS IN THE SOFTWARE.';

const { metafile } = await build({
  stdin: { contents: ENTRY, resolveDir: '.' },
  bundle: true,
  write: false,
  metafile: true,
  platform: 'browser',
  loader: { '.css': 'empty' },
  logLevel: 'error',
  plugins: [{ name: 'node', setup: (bundler) => bundler.onResolve({ filter: NODE_OWN }, leaveOut) }],
});

function leaveOut({ path, resolveDir }) {
  return resolveDir.includes('node_modules') ? { path, external: true } : undefined;
}

const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
const folders = inputs.flatMap(([path, { bytesInOutput }]) =>
  bytesInOutput === 0 ? [] : (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
);
const packages = new Map(
  [...new Set(folders)].map((folder) => [titleOf(manifestIn(folder)), textIn(folder)]),
);

console.log(`The viewer of the API reference, @stoplight/elements ${process.argv[2]}, contains:\n`);
for (const [title, text] of [...packages].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${LINE}\n${title}\n${LINE}\n\n${text}\n`);

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function licenceOf({ license, licenses = license }) {
  const named = [licenses].flat().map((each) => each?.type ?? each);
  return named.join(' OR ');
}

function titleOf(manifest) {
  return `${manifest.name} ${manifest.version} (${licenceOf(manifest)})`;
}

function textIn(folder) {
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying|notice)/i.test(each));
  const text = file && readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim();
  if (text === undefined) return withoutFile(manifestIn(folder));
  const isApache = text.includes('Apache License') && text.includes('END OF TERMS AND CONDITIONS');
  if (!isApache) return text;
  const owners = text.split('\n').filter((line) => /^\s*copyright (\(c\)|©)?\s*\d{4}/i.test(line));
  return [...owners, "The text of the Apache License 2.0 is in Understudy's file LICENSE."].join('\n').trim();
}

/** The package has no licence file: what its package.json says, with the text of that licence. */
function withoutFile(manifest) {
  const author = manifest.author?.name ?? manifest.author ?? `the authors of ${manifest.name}`;
  const licence = licenceOf(manifest);
  return `Copyright (c) ${author}\n\n${licence === 'MIT' ? MIT : `Its package.json names the licence ${licence}.`}`;
}
