// Builds the dashboard from packages/dashboard/: an HTML page, and scripts and styles with hashes in their names.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { writeDocs } from './docs-pages.mjs';

const ENTRIES = {
  main: 'packages/dashboard/src/main.tsx',
  style: 'packages/dashboard/src/style.css',
  docs: 'packages/dashboard/src/docs/docs.ts',
  'docs-style': 'packages/dashboard/src/docs/docs.css',
};

/** Resolves to what went into the bundles. */
export async function buildDashboard(out) {
  const { metafile } = await bundle(out);
  const built = namesOf(metafile);
  const assets = {
    script: built['main.tsx'],
    style: built['style.css'],
    docsScript: built['docs.ts'],
    docsStyle: built['docs.css'],
  };
  writeFileSync(`${out}/dashboard/index.html`, page(assets));
  writeDocs(`${out}/dashboard/docs`, assets);
  return metafile;
}

const bundle = (out) =>
  build({
    entryPoints: ENTRIES,
    outdir: `${out}/dashboard/assets`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome117', 'firefox121', 'safari17.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });

/** The name of each built file by that of its source. */
const namesOf = ({ outputs }) =>
  Object.fromEntries(
    Object.entries(outputs)
      .filter(([, { entryPoint }]) => entryPoint)
      .map(([file, { entryPoint }]) => [basename(entryPoint), basename(file)]),
  );

const page = ({ style, script }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Understudy</title>
<link rel="icon" href="../favicon.ico">
<link rel="stylesheet" href="assets/${style}">
<script type="module" src="assets/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript. The control API answers at /_control/v1.</noscript>
</body>
</html>
`;
