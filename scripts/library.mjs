// Bundles src/client and src/testing into the modules that programs import: ES modules, CommonJS and declarations.
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const ENTRIES = { control: 'src/client/control.ts', testing: 'src/testing/testing.ts' };
const CLIENT = /client\/control(\.ts)?$/;

/** `program` is the path of the main bundle, relative to the folder. Resolves to esbuild's metafiles. */
export async function buildLibrary(program, folder) {
  const bundles = [bundle('esm', '.js', program, folder), bundle('cjs', '.cjs', program, folder)];
  await declare(folder);
  return (await Promise.all(bundles)).flat();
}

/** The platform, because browsers can use the control client too. */
const NEUTRAL = { platform: 'neutral', mainFields: ['module', 'main'] };

/** Keeps the control client in a file of its own, so that both modules share its error classes. */
async function bundle(format, extension, program, folder) {
  const beside = {
    name: 'beside',
    setup: ({ onResolve }) =>
      onResolve({ filter: CLIENT }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: `./control${extension}`, external: true },
      ),
  };
  const shared = {
    outdir: folder,
    bundle: true,
    metafile: true,
    format,
    outExtension: { '.js': extension },
    target: 'es2022',
  };
  const here = "const __url = require('node:url').pathToFileURL(__filename).href;";
  const asCommonJs = { define: { 'import.meta.url': '__url' }, banner: { js: here } };
  const control = await build({ ...shared, ...NEUTRAL, entryPoints: { control: ENTRIES.control } });
  const testing = await build({
    ...shared,
    platform: 'node',
    entryPoints: { testing: ENTRIES.testing },
    plugins: [beside],
    ...(format === 'cjs' && asCommonJs),
    define: { PROGRAM: JSON.stringify(program), ...(format === 'cjs' && asCommonJs.define) },
  });
  return [control.metafile, testing.metafile];
}

async function declare(folder) {
  const beside = {
    name: 'beside',
    resolveId: (id, importer) => (importer && CLIENT.test(id) ? { id: 'control', external: true } : null),
  };
  const input = await rollup({
    input: ENTRIES,
    plugins: [beside, dts({ compilerOptions: { stripInternal: true } })],
  });
  for (const [types, code] of [
    ['.d.ts', '.js'],
    ['.d.cts', '.cjs'],
  ])
    await input.write({
      dir: folder,
      entryFileNames: `[name]${types}`,
      paths: { control: `./control${code}` },
    });
}
