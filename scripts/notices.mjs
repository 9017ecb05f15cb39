// The licences of the packages whose code the bundles carry -> dist/THIRD-PARTY-NOTICES.txt. Called alone, it checks that file.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAME = 'THIRD-PARTY-NOTICES.txt';
const FILE = `dist/${NAME}`;
/** Licences that require only their notice. */
const ALLOWED = 'MIT ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 CC0-1.0 Unlicense'.split(
  ' ',
);
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const LINE = '='.repeat(80);

/** Writes the notices of all bundled packages. Throws for a licence that is not allowed. */
export function writeNotices(metafiles, folder) {
  const packages = [...packagesIn(metafiles)].map(read).toSorted((a, b) => (a.title < b.title ? -1 : 1));
  refuseOthers(packages);
  const head = `Understudy contains code of these ${packages.length} packages.\n`;
  const sections = packages.map(({ title, text }) => `${LINE}\n${title}\n${LINE}\n\n${text}\n`);
  writeFileSync(join(folder, NAME), [head, ...sections].join('\n'));
}

/** The bundled files, grouped by the folder of their package. */
function packagesIn(metafiles) {
  const packages = new Map();
  for (const path of new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs)))) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder) packages.set(folder, [...(packages.get(folder) ?? []), path]);
  }
  return packages;
}

function read([folder, files]) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => LICENCE_FILE.test(each));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : textInFiles(files);
  return { title: `${name} ${version} (${license})`, license, text };
}

/** For packages without a licence file: the notices at the head of each file, and the text of our own Apache licence. */
function textInFiles(files) {
  const heads = files.map((file) => /^(?:\/\/.*\n)+/.exec(readFileSync(file, 'utf8'))?.[0] ?? '');
  const notices = new Set(heads.map((head) => head.replace(/^\/\/ ?/gm, '').trim()).filter(Boolean));
  return [...notices, readFileSync('LICENSE', 'utf8').trim()].join('\n\n');
}

/** Throws for the first package whose licence is not on the list. */
function refuseOthers(packages) {
  const others = packages.filter(({ license }) => !isAllowed(license));
  if (others.length === 0) return;
  const names = others.map(({ title }) => title).join(', ');
  throw new Error(
    `the bundles contain code under a licence that scripts/notices.mjs does not allow: ${names}`,
  );
}

/** Requires every part of `(MIT AND BSD-3-Clause)`, and one part of `(MIT OR GPL-3.0)`. */
function isAllowed(license = '') {
  const alternatives = license.replace(/[()]/g, '').split(' OR ');
  return alternatives.some((each) => each.split(' AND ').every((part) => ALLOWED.includes(part.trim())));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!existsSync(FILE)) throw new Error(`${FILE} is missing: run npm run build`);
  const titles = readFileSync(FILE, 'utf8').matchAll(/^={80}\n(.+ \((.+)\))\n={80}$/gm);
  const packages = [...titles].map(([, title, license]) => ({ title, license }));
  refuseOthers(packages);
  console.log(`${packages.length} bundled packages, all under an allowed licence`);
}
