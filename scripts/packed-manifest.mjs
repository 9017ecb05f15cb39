// Removes the scripts from package.json while npm packs it: they name files that are not in the package, and npm warns of `prepare` at
// each installation. With --restore, puts the file back.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const FILE = 'package.json';
const KEPT = 'package.json.unpacked';

if (process.argv.includes('--restore')) {
  if (existsSync(KEPT)) renameSync(KEPT, FILE);
} else {
  const text = readFileSync(FILE, 'utf8');
  const { scripts: _, allowScripts: __, ...packed } = JSON.parse(text);
  writeFileSync(KEPT, text);
  writeFileSync(FILE, `${JSON.stringify(packed, null, 2)}\n`);
}
