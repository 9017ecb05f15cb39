// Writes the scenarios that come with Understudy, with their parameters, for the JavaScript client.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ALIAS } from './bundles.mjs';
import { namesIn } from './name-types.mjs';

const IMPORTS =
  "import type { DurationText, EventPattern, RulePattern, TriggerPattern } from './name-patterns.ts';\n\n";

/** The text of src/contract/shipped-scenarios.gen.ts, and the files of the program whose code reads the parameters. */
export async function shippedScenarioTypes() {
  const { outputFiles, metafile } = await build({
    alias: ALIAS,
    entryPoints: ['src/scenarios/declarations.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    // CommonJS packages require Node's modules.
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire('${pathToFileURL('package.json').href}');`,
    },
    define: { 'import.meta.url': JSON.stringify(pathToFileURL('packages/text/src/files.ts').href) },
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  const { declareScenario } = await import(`data:text/javascript;base64,${code}`);
  const members = namesIn('scenarios', '.yaml').map((name) =>
    declareScenario(name, readFileSync(`scenarios/${name}.yaml`, 'utf8'), ''),
  );
  const comment = '/** The scenarios that come with Understudy, with their parameters. */\n';
  const text = `${IMPORTS}${comment}export interface ShippedScenarios {\n${members.join('')}}\n`;
  return { text, files: Object.keys(metafile.inputs) };
}
