// src/ -> dist/understudy.js, split so that what the first answer does not need is loaded when it is first used.
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

// Dependencies in CommonJS ask for require and __dirname, which ES modules lack.
const BANNER = [
  "import { createRequire as __createRequire } from 'node:module';",
  "import { dirname as __dirnameOf } from 'node:path';",
  "import { fileURLToPath as __fileOf } from 'node:url';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = __fileOf(import.meta.url), __dirname = __dirnameOf(__filename);',
].join('\n');

for (const file of readdirSync('dist')) if (/\.js(\.map)?$/.test(file)) rmSync(`dist/${file}`);

await build({
  entryPoints: { understudy: 'src/main.ts', 'prove-fixtures': 'src/commands/prove-fixtures.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  loader: { '.json': 'copy' },
  sourcemap: true,
  legalComments: 'none',
  banner: { js: BANNER },
  logLevel: 'warning',
});
chmodSync('dist/understudy.js', 0o755);

// The program then trusts these texts, and need not look again at each start.
execFileSync(process.execPath, ['dist/prove-fixtures.js'], { stdio: 'inherit' });
