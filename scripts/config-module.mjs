// Writes the schema of config files, and the module understudy-server/config with `defineConfig`, from the flags of serve.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TYPES = { boolean: 'boolean', integer: 'number', string: 'string', array: 'readonly string[]' };
const DOCS = '/** Checks the settings at compile time, and returns them. */';

/** `program` is the launcher in the folder. */
export function writeConfigModule(program, folder) {
  const schema = execFileSync(process.execPath, [program, 'config', '--schema'], { encoding: 'utf8' });
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write('config.schema.json', schema);
  write('config.js', 'export const defineConfig = (config) => config;\n');
  write('config.cjs', 'exports.defineConfig = (config) => config;\n');
  for (const name of ['config.d.ts', 'config.d.cts']) write(name, declarations(JSON.parse(schema)));
}

function declarations({ properties }) {
  const { $schema: _, ...settings } = properties;
  const members = Object.entries(settings).map(
    ([name, setting]) => `  /** ${textOf(setting)} */\n  ${name}?: ${typeOf(setting)};\n`,
  );
  return [
    `/** Settings of \`understudy serve\`. */\nexport interface UnderstudyConfig {\n${members.join('')}}\n`,
    `${DOCS}\nexport declare function defineConfig(config: UnderstudyConfig): UnderstudyConfig;\n`,
  ].join('\n');
}

const textOf = ({ description, default: usual }) =>
  usual === undefined ? description : `${description} (default: ${usual})`;

const typeOf = ({ type, enum: allowed }) =>
  allowed ? allowed.map((each) => `'${each}'`).join(' | ') : TYPES[type];
