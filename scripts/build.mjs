// src/ -> dist/understudy.js, a launcher, and the bundle that it runs, with V8's code for it beside it. What a plain
// start has no use for, and is large, is a bundle of its own. dist/ is replaced at the end, as a whole: whoever starts or
// packs it meanwhile gets the build before.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { apart, oneProtobuf } from './bundles.mjs';
import { writeCodeCache } from './code-cache.mjs';
import { buildDashboard } from './dashboard.mjs';
import { buildLibrary } from './library.mjs';
import { writeNotices } from './notices.mjs';
import { replaceFolder, whileReplaced } from './replace-folder.mjs';

/** A folder beside dist/, where the program finds its package as it does from there. */
const OUT = `dist-${process.pid}`;

/** What `npm run generate` has written into dist/. */
const GENERATED = /^((openapi|control)(\.contract)?\.json|rpc\.binpb)$/;

const SHARED = {
  outdir: OUT,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // A bundle finds another one with require: V8's cached code has no other way.
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  // Tables of encodings and media types: read as JSON, and only when they are asked for.
  loader: { '.json': 'copy' },
  assetNames: 'tables/[name]-[hash]',
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** ES modules know where they are by other words than CommonJS ones. */
const AS_COMMONJS = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__url' },
  banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
};

mkdirSync(OUT);
process.once('exit', () => rmSync(OUT, { recursive: true, force: true }));
whileReplaced(() => {
  for (const file of readdirSync('dist').filter((each) => GENERATED.test(each)))
    copyFileSync(`dist/${file}`, `${OUT}/${file}`);
});

/** What went into each bundle. */
const metafiles = [];

/** File name of the bundle. */
async function bundle(entryPoints, plugins) {
  const options = { ...SHARED, ...AS_COMMONJS, entryPoints, plugins };
  const { metafile } = await build({ ...options, entryNames: '[name]-[hash]', metafile: true });
  metafiles.push(metafile);
  return basename(Object.keys(metafile.outputs).find((file) => file.endsWith('.cjs')));
}

const facade = await bundle({ grpc: 'src/server/grpc/facade.ts' }, [oneProtobuf]);
const certificates = await bundle({ certificates: 'src/server/certificates/issue.ts' }, []);
const program = await bundle({ program: 'src/main.ts' }, [
  apart(/\/grpc\/facade\.ts$/, facade),
  apart(/\/issue\.ts$/, certificates),
]);
await build({
  ...SHARED,
  format: 'esm',
  entryPoints: { understudy: 'src/launch.ts' },
  define: { PROGRAM: JSON.stringify(`./${program}`) },
});
metafiles.push(...(await buildLibrary(`./${program}`, OUT)), await buildDashboard(OUT));
writeNotices(metafiles, OUT);
chmodSync(`${OUT}/understudy.js`, 0o755);

// The program then trusts these texts, and need not look again at each start.
await build({
  ...SHARED,
  ...AS_COMMONJS,
  entryPoints: { 'prove-fixtures': 'src/cli/prove-fixtures.ts' },
});
execFileSync(process.execPath, [`${OUT}/prove-fixtures.cjs`], { stdio: 'inherit' });
for (const file of ['prove-fixtures.cjs', 'prove-fixtures.cjs.map']) rmSync(`${OUT}/${file}`);

await writeCodeCache(`${OUT}/understudy.js`);
replaceFolder('dist', OUT);
