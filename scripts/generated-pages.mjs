// Writes generated pages, and the words that README.md shows. With `--check` a page that is out of date is a complaint.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const isCheck = process.argv.includes('--check');

/** Texts by file. Other files of the `folders` are removed. Returns what is out of date. */
export function writePages(texts, folders) {
  const left = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => !texts.has(file));
  const stale = [...texts].filter(([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
  if (isCheck)
    return [...stale.map(([file]) => file), ...left].map(
      (file) => `${file} lags behind: npm run generate:docs`,
    );
  for (const [file, text] of stale) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const file of left) rmSync(file);
  return [];
}

export function complainOf(complaints) {
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}

export const lines = (...all) => `${all.join('\n')}\n`;

/** Text in a cell of a table, or on a line. */
export const cell = (text) =>
  text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

/** A Map.groupBy of Node 20. */
export function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

export const byName = ([a], [b]) => (a < b ? -1 : 1);
