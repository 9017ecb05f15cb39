// Bundles packages/client into the modules that programs import: ES modules, CommonJS and declarations.
// Modules load each other at run time, so that they share their classes.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const ENTRIES = {
  control: 'packages/client/src/control.ts',
  testing: 'packages/client/src/testing/testing.ts',
};

/** Modules for packages that the project of the tests has installed. vitest itself is an ES module only. */
const SUITES = {
  'global-setup': 'packages/client/src/testing/global-setup.ts',
  jest: 'packages/client/src/testing/jest.ts',
  playwright: 'packages/client/src/testing/playwright.ts',
  testcontainers: 'packages/client/src/testing/testcontainers.ts',
  vitest: 'packages/client/src/testing/vitest.ts',
};
const INSTALLED = ['@jest/globals', '@playwright/test', 'testcontainers', 'vitest'];

/** A module that is imported from another one. */
const MODULE = /(?:^\.\.|\/client)\/(control)(?:\.ts)?$|^\.\/(testing)\.ts$/;

const moduleOf = (path) => MODULE.exec(path)?.slice(1).find(Boolean);

/** `program` is the path of the main bundle, relative to the folder. Resolves to esbuild's metafiles. */
export async function buildLibrary(program, folder) {
  const bundles = [bundle('esm', '.js', program, folder), bundle('cjs', '.cjs', program, folder)];
  await declare(folder);
  return (await Promise.all(bundles)).flat();
}

/** The platform, because browsers can use the control client too. */
const NEUTRAL = { platform: 'neutral', mainFields: ['module', 'main'] };

async function bundle(format, extension, program, folder) {
  const beside = {
    name: 'beside',
    setup: ({ onResolve }) =>
      onResolve({ filter: MODULE }, ({ kind, path }) =>
        kind === 'entry-point' ? undefined : { path: `./${moduleOf(path)}${extension}`, external: true },
      ),
  };
  const here = "const __url = require('node:url').pathToFileURL(__filename).href;";
  const asCommonJs = { define: { 'import.meta.url': '__url' }, banner: { js: here } };
  const shared = {
    outdir: folder,
    bundle: true,
    metafile: true,
    format,
    outExtension: { '.js': extension },
    target: 'es2022',
  };
  const node = { ...shared, platform: 'node', plugins: [beside], ...(format === 'cjs' && asCommonJs) };
  const define = { PROGRAM: JSON.stringify(program), ...(format === 'cjs' && asCommonJs.define) };
  const { vitest: _vitest, ...both } = SUITES;
  const suites = format === 'cjs' ? both : SUITES;
  const built = await Promise.all([
    build({ ...shared, ...NEUTRAL, entryPoints: { control: ENTRIES.control } }),
    build({ ...node, entryPoints: { testing: ENTRIES.testing }, define }),
    build({ ...node, entryPoints: suites, external: INSTALLED }),
  ]);
  return built.map(({ metafile }) => metafile);
}

async function declare(folder) {
  const { vitest: _vitest, ...both } = SUITES;
  await Promise.all([
    write({ ...ENTRIES, ...SUITES }, '.d.ts', '.js', folder),
    write({ ...ENTRIES, ...both }, '.d.cts', '.cjs', folder),
  ]);
}

async function write(input, types, code, folder) {
  const resolveId = (id, importer) => {
    const name = importer && moduleOf(id);
    if (name) return { id: name, external: true };
    return id.startsWith('@understudy/') ? fileURLToPath(import.meta.resolve(id)) : null;
  };
  const declarations = await rollup({
    input,
    external: [...INSTALLED, 'node:crypto', 'node:http'],
    plugins: [{ name: 'beside', resolveId }, dts({ compilerOptions: { stripInternal: true } })],
  });
  await declarations.write({
    dir: folder,
    entryFileNames: `[name]${types}`,
    paths: { control: `./control${code}`, testing: `./testing${code}` },
  });
}
