import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** The modules and packages that are evaluated with these modules: what they import, and what that imports. */
async function evaluatedBy(...entryPoints: string[]): Promise<Set<string>> {
  const { metafile } = await build({
    entryPoints,
    outdir: 'unwritten',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    // Packages of this repository are bundled as src/ is.
    plugins: [
      {
        name: 'external',
        setup: (bundle) =>
          bundle.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@understudy/') ? undefined : { path, external: true },
          ),
      },
    ],
    logLevel: 'silent',
  });
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? [])
      if (kind === 'import-statement') visit(next);
  };
  for (const entry of entryPoints) visit(entry);
  return reached;
}

const start = await evaluatedBy('src/main.ts', 'src/cli/serve.ts');
const folderOf = (path: string) => /^(?:src|packages)\/[^/]+(?=\/)/.exec(path)?.[0];

/** What a first call needs too, what runs after each commit, and the roots of what is loaded at its first use. */
const FOLDERS = [
  'packages/client',
  'packages/report',
  'packages/text',
  ...'cli contract coverage environment fixtures journal metrics operations pages pipeline rows scenarios server start state store webhooks'
    .split(' ')
    .map((name) => `src/${name}`),
];

/** Operations whose parts others share, each with the number of its files. */
const OPERATIONS = {
  clients: 3,
  connections: 2,
  directories: 1,
  hosted: 1,
  interceptors: 1,
  oauth: 2,
  passkeys: 1,
  passwordless: 1,
  resources: 1,
  roles: 1,
  'sign-in': 3,
  users: 2,
};

/** Packages that each start evaluates. */
const EVALUATED = [
  'ajv-formats/dist/formats.js',
  'ajv/dist/runtime/equal.js',
  'ajv/dist/runtime/ucs2length.js',
  'commander',
  'express',
  'fastest-levenshtein',
  'jose',
  'lowdb',
];

/** The build loads these when something of them is first used (`lateModules`). */
const LATE = [
  'express-openapi-validator/dist/middlewares/openapi.request.validator.js',
  'express-openapi-validator/dist/middlewares/openapi.response.validator.js',
  'jsonc-parser',
  're2js',
  'yaml',
];

describe('a start', () => {
  it('evaluates no folder that it does not need', () => {
    const folders = new Set([...start].map(folderOf).filter((folder) => folder !== undefined));

    expect([...folders].toSorted()).toEqual(FOLDERS);
  });

  it('evaluates only the operations that others share', () => {
    const files = [...start].filter((path) => /^src\/operations\/.+\//.test(path));
    const counts: Record<string, number> = {};
    for (const [, , name = ''] of files.map((path) => path.split('/')))
      counts[name] = (counts[name] ?? 0) + 1;

    expect(counts).toEqual(OPERATIONS);
  });

  it('evaluates few packages', () => {
    const packages = [...start].filter((path) => !/^(node:|src\/|packages\/|<)/.test(path));

    expect(packages.toSorted()).toEqual([...EVALUATED, ...LATE].toSorted());
  });
});

it('the libraries that read XML are reached by the operations that check responses', async () => {
  const reached = await evaluatedBy('packages/sso/src/sign-in/sign-on.ts');

  expect(['xml-crypto', '@xmldom/xmldom'].filter((library) => !reached.has(library))).toEqual([]);
});
