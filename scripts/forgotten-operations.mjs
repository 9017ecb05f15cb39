// Finds operations in the files of a contract that none of its root documents refers to.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Returns one error for each operation that stands in a YAML file beside or below the root documents and in none of the
 * bundled documents: its path is not listed, so it would silently be left out.
 */
export function forgottenOperations(roots, bundledDocuments) {
  const known = new Set(bundledDocuments.flatMap(operationIdsIn));
  const names = roots.map((each) => basename(each)).join(' or ');
  return [...new Set(roots.map((each) => dirname(each)))].flatMap((folder) =>
    yamlFilesIn(folder).flatMap((file) =>
      operationIdsOf(file)
        .filter((id) => !known.has(id))
        .map((id) => `${file}: ${id} is in no document: list its path in ${names}`),
    ),
  );
}

const yamlFilesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((each) => each.endsWith('.yaml'))
    .map((each) => join(folder, each))
    .toSorted();

const operationIdsOf = (file) =>
  [...readFileSync(file, 'utf8').matchAll(/^\s*operationId: *(\S+)$/gm)].map(([, id]) => id);

function operationIdsIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  const own = typeof value.operationId === 'string' ? [value.operationId] : [];
  return [...own, ...Object.values(value).flatMap(operationIdsIn)];
}
