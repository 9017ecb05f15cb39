// Builds dist/: a launcher (understudy.js), the main bundle and V8's compiled code for it. Large parts that a plain start
// does not need are bundles of their own. dist/ is replaced as a whole at the end, so a process that starts or packs it
// during the build gets the previous build.
//
// With Node 20, a start and three calls take 222 ms of processor time. As ES modules with code splitting (295 files), the
// same program takes 438 ms, because Node 20 cannot keep the compiled code of ES modules.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { ALIAS, anyMcpSchema, apart, asAscii, lateModules, oneProtobuf } from './bundles.mjs';
import { writeConfigModule } from './config-module.mjs';
import { writeCodeCache } from './code-cache.mjs';
import { buildDashboard } from './dashboard.mjs';
import { buildLibrary } from './library.mjs';
import { writeNotices } from './notices.mjs';
import { replaceFolder, whileReplaced } from './replace-folder.mjs';

/** A folder beside dist/, so that the program finds package.json at the same relative path. */
const OUT = `dist-${process.pid}`;

/** The output of `npm run generate` in dist/. */
const GENERATED = /^((openapi|control)(\.contract|\.schemas)?\.json|rpc\.binpb|contract\.digest)$/;

const SHARED = {
  outdir: OUT,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Bundles load each other with require, because code from V8's cache cannot use import().
  supported: { 'dynamic-import': false },
  // Optional parts of pg, for a driver in C and for another platform.
  external: ['pg-native', 'pg-cloudflare'],
  alias: ALIAS,
  minifySyntax: true,
  minifyWhitespace: true,
  // Tables of encodings and media types stay JSON files and are read at first use.
  loader: { '.json': 'copy' },
  assetNames: 'tables/[name]-[hash]',
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** The CommonJS expression for `import.meta.url`. */
const AS_COMMONJS = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__url' },
  banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
};

const VALIDATOR = 'express-openapi-validator/dist/middlewares/openapi';

/** Modules that are loaded at their first use, because a start and a first call do not need them. */
const LATE = [
  'child_process',
  'fs/promises',
  'https',
  'jsonc-parser',
  'mime-types',
  'os',
  'timers/promises',
  'tls',
];

/** Packages like them, which are bundles of their own: reading more code takes time, even if it does not run. */
const PACKAGES = {
  faker: { '@faker-js/faker': '{ Faker, base, en }' },
  re2js: { re2js: '{ RE2JS, RE2JSException }' },
  schemas: {
    'ajv/dist/2020.js': '{ Ajv2020 }',
    [`${VALIDATOR}.request.validator.js`]: '{ RequestValidator }',
    [`${VALIDATOR}.response.validator.js`]: '{ ResponseValidator }',
  },
  xml: { '@xmldom/xmldom': '*', 'xml-crypto': '*' },
  yaml: { yaml: '*' },
};

/**
 * Modules that are bundles of their own: the name of each, its file, how it is imported, and plugins. A copy without some of them,
 * such as one without packages/postgresql/, builds, too.
 */
const APART = [
  ['grpc', 'src/server/grpc/rpc-server.ts', /\/grpc\/rpc-server\.ts$/, oneProtobuf],
  ['certificates', 'src/server/certificates/issue.ts', /\/issue\.ts$/],
  ['postgres', 'packages/postgresql/src/driver.ts', /^\.\/driver\.ts$/],
  ['mcp', 'packages/mcp/src/protocol.ts', /\/mcp\/protocol(\.ts)?$/, anyMcpSchema],
  ['mcp-client', 'packages/mcp/src/remote-server.ts', /\/mcp\/remote-server$/, anyMcpSchema],
  ['agents', 'packages/agents/src/agents.ts', /\/agents\.ts$/],
  ['rpc', 'packages/evidence/src/rpc/rpc.ts', /\/rpc\/rpc\.ts$/, oneProtobuf],
  ['metrics', 'src/metrics/exposition.ts', /\/metrics\/exposition\.ts$/],
];

mkdirSync(OUT);
process.once('exit', () => rmSync(OUT, { recursive: true, force: true }));
whileReplaced(() => {
  for (const file of readdirSync('dist').filter((each) => GENERATED.test(each)))
    copyFileSync(`dist/${file}`, `${OUT}/${file}`);
});

/** esbuild's metafile of each bundle. */
const metafiles = [];

/** The file name of the main bundle. */
async function bundle(entryPoints, plugins) {
  const options = { ...SHARED, ...AS_COMMONJS, entryPoints, plugins };
  const { metafile } = await build({ ...options, entryNames: '[name]-[hash]', metafile: true });
  metafiles.push(metafile);
  return basename(Object.keys(metafile.outputs).find((file) => file.endsWith('.cjs')));
}

/** The file of each of the packages. */
async function bundlePackages() {
  const files = {};
  for (const [name, members] of Object.entries(PACKAGES)) {
    const contents = Object.entries(members).map(([path, wanted]) => `export ${wanted} from '${path}';`);
    const stdin = { contents: contents.join('\n'), resolveDir: '.', sourcefile: `${name}.js` };
    const { metafile } = await build({
      ...SHARED,
      ...AS_COMMONJS,
      stdin,
      entryNames: `${name}-[hash]`,
      metafile: true,
    });
    metafiles.push(metafile);
    const file = Object.keys(metafile.outputs).find((each) => each.endsWith('.cjs'));
    for (const path of Object.keys(members)) files[path] = `./${basename(file)}`;
  }
  return files;
}

/** The plugins that load the modules of APART from their bundles. */
async function bundleApart() {
  const plugins = [];
  for (const [name, file, imported, ...own] of APART)
    if (existsSync(file)) plugins.push(apart(imported, await bundle({ [name]: file }, own)));
  return plugins;
}

const packages = await bundlePackages();
const program = await bundle({ program: 'src/main.ts' }, [
  lateModules(LATE, packages),
  ...(await bundleApart()),
]);
writeFileSync(`${OUT}/${program}`, asAscii(readFileSync(`${OUT}/${program}`, 'utf8')));
await build({
  ...SHARED,
  format: 'esm',
  entryPoints: { understudy: 'src/start/launch.ts' },
  define: { PROGRAM: JSON.stringify(`./${program}`) },
});
// A copy without packages/dashboard/ builds, too.
if (existsSync('packages/dashboard')) metafiles.push(await buildDashboard(OUT));
metafiles.push(...(await buildLibrary(`./${program}`, OUT)));
writeNotices(metafiles, OUT);
chmodSync(`${OUT}/understudy.js`, 0o755);

/** Bundles a program and runs it in the new folder. */
async function run(name, source) {
  await build({ ...SHARED, ...AS_COMMONJS, sourcemap: false, entryPoints: { [name]: source } });
  execFileSync(process.execPath, [`${OUT}/${name}.cjs`], { stdio: 'inherit' });
  rmSync(`${OUT}/${name}.cjs`);
}

// The program trusts the fixtures with these digests and does not check them at each start.
await run('prove-fixtures', 'src/cli/prove-fixtures.ts');
await run('precompile-checks', 'src/cli/precompile-checks.ts');

writeConfigModule(`${OUT}/understudy.js`, OUT);
await writeCodeCache(`${OUT}/understudy.js`);
replaceFolder('dist', OUT);
