// Names each operation of the contract that has no handler, and the file for it. The compiler finds it too, but its message
// is long and names another file.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'src/operations';
const FOLDERS = [
  FOLDER,
  'packages/accounts/src',
  'packages/portals/src',
  'packages/provisioning/src',
  'packages/sso/src',
].filter(existsSync);
const HANDLER = /^ {2,4}(?:async )?(\w+_\w+)(?:\(|:|,$)/gm;

const { operations } = JSON.parse(readFileSync('dist/openapi.contract.json', 'utf8'));
const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);
/** The file of each handler. */
const handlers = new Map(
  files.flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(HANDLER), ([, id]) => [id, file])),
);

/** The operations by the file of the contract that describes them. */
const described = new Map(
  readdirSync('openapi')
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [
      file,
      Array.from(
        readFileSync(join('openapi', file), 'utf8').matchAll(/operationId: *(\w+?)\d?$/gm),
        ([, id]) => id,
      ),
    ]),
);

/** Where the neighbours of the operation have their handlers. */
function placeFor(id) {
  const [file = '', neighbours = []] = [...described].find(([, ids]) => ids.includes(id)) ?? [];
  const place = neighbours.map((each) => handlers.get(each)).find(Boolean);
  return place ?? `${FOLDER}/${file.replace('.yaml', '.ts')}, and list that file in ${FOLDER}/index.ts`;
}

const missing = [...new Set(operations.map(({ base }) => base))].filter((id) => !handlers.has(id));
for (const id of missing) console.error(`${id} has no handler: write it in ${placeFor(id)}`);
if (missing.length > 0) process.exitCode = 1;
