// src/dashboard/ -> dashboard/ in the folder of the build: an HTML page, and a script and a style sheet whose names hold their hashes.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';

/** Resolves to what went into the bundle. */
export async function buildDashboard(out) {
  const { metafile } = await build({
    entryPoints: { main: 'src/dashboard/main.tsx', style: 'src/dashboard/style.css' },
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
  const files = Object.keys(metafile.outputs).map((file) => basename(file));
  writeFileSync(`${out}/dashboard/index.html`, page(files));
  return metafile;
}

const page = (files) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Understudy</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/_control/assets/${files.find((file) => /^style-.*\.css$/.test(file))}">
<script type="module" src="/_control/assets/${files.find((file) => /^main-.*\.js$/.test(file))}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript. The control API answers at /_control/v1.</noscript>
</body>
</html>
`;
