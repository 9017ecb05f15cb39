// Writes docs/reference/: pages made of the contract, of fixtures, scenarios and settings, and the table of lifetimes in docs/time.md.
// With --check, fails if one is out of date.
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { fixtureTable } from './fixture-rows.mjs';
import { cell, complainOf, lines, writePages } from './generated-pages.mjs';
import { lifetimeTable } from './lifetimes.mjs';

const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
const { SettingsRow, ...schemas } = json('dist/control.json').components.schemas;

const MARKS = /(<!-- generated: lifetimes -->\n)[^]*?(<!-- end -->)/;

function flags() {
  const { $schema: _, ...settings } = json('dist/config.schema.json').properties;
  const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return lines(
    '# Flags of serve',
    '',
    'Task: look up a setting. [Command line](../command-line.md) says how flags, variables and the config file work together.',
    '',
    '| flag | variable | key in the config file | meaning | default |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(settings).map(([name, { description, type, enum: allowed, default: usual }]) => {
      const flag = name === 'redact' ? 'no-redact' : kebab(name);
      const more = [type === 'array' && 'repeatable', allowed && `one of ${allowed.join(', ')}`].filter(
        Boolean,
      );
      const meaning = [description, ...more].join('; ');
      const variable = `UNDERSTUDY_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
      return `| \`--${flag}\` | \`${variable}\` | \`${name}\` | ${cell(meaning)} | ${usual === undefined ? '' : `\`${usual}\``} |`;
    }),
  );
}

function settings() {
  const described = ({ $ref, description, enum: allowed, properties = {}, type }) => {
    const schema = $ref ? schemas[$ref.split('/').at(-1)] : undefined;
    if (schema) return described(schema);
    const members = Object.entries(properties).map(
      ([name, { description: text = '' }]) => `\`${name}\`${text && `: ${text}`}`,
    );
    return [
      description ?? (type === 'boolean' ? '`true` or `false`' : ''),
      allowed && `One of ${allowed.map((each) => `\`${each}\``).join(', ')}.`,
      members.length > 0 && `Members: ${members.join('; ')}`,
    ]
      .filter(Boolean)
      .join(' ');
  };
  const { 'x-defaults': usual, properties } = SettingsRow;
  return lines(
    '# Settings of an environment',
    '',
    'Task: look up a member of the row `settings`. [Fixtures and state](../fixtures.md#settings) says how it is changed.',
    '',
    '| member | meaning | default |',
    '| --- | --- | --- |',
    ...Object.entries(properties)
      .filter(([name]) => name !== 'id')
      .map(
        ([name, schema]) =>
          `| \`${name}\` | ${cell(described(schema))} | ${usual[name] === undefined ? '' : `\`${usual[name]}\``} |`,
      ),
  );
}

function fixtures() {
  const names = ['small', 'default', 'sso', 'demo'];
  return lines(
    '# Rows of the fixtures',
    '',
    'Task: find the id of a row. These ids do not change between releases. Each fixture also has the rows of the one that it includes:',
    '`default` those of `small`, `sso` those of `default`, `demo` those of `sso`.',
    ...names.flatMap((name) => [
      '',
      `## ${name}`,
      '',
      '| collection | id | what it is |',
      '| --- | --- | --- |',
      ...fixtureTable(name),
    ]),
  );
}

function scenarios() {
  const shipped = readdirSync('scenarios')
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => parse(readFileSync(`scenarios/${file}`, 'utf8')));
  const parameter = ([name, value]) => {
    const { default: usual = typeof value === 'object' ? undefined : value } = value ?? {};
    return usual === undefined ? `\`${name}\`` : `\`${name}\` (${cell(String(usual))})`;
  };
  return lines(
    '# Scenarios that come with Understudy',
    '',
    'Task: find a failure or a state to force. [Scenarios](../scenarios.md) says how to load one. A parameter has its default in brackets.',
    'Without a parameter that names a row, the scenario changes the row that a call names, when the call comes. A list does not trigger',
    'that change.',
    '',
    '| scenario | what happens | parameters |',
    '| --- | --- | --- |',
    ...shipped.map(
      ({ name, description = '', params = {} }) =>
        `| \`${name}\` | ${cell(description)} | ${Object.entries(params).map(parameter).join(', ')} |`,
    ),
  );
}

/** The functions that src/state/placeholders.ts allows. */
function placeholders() {
  const [, list] = /const FUNCTIONS[^{]*\{\n([^]*?)\n\};/.exec(
    readFileSync('src/state/placeholders.ts', 'utf8'),
  );
  const modules = [...list.matchAll(/(\w+):\s*'([\w ]+)'/g)];
  return lines(
    '# Functions in templates of tools',
    '',
    'Task: make data in the answer of a tool. [Tools](../connected-accounts.md#tools) says how templates work. These functions of',
    '[faker](https://fakerjs.dev) are allowed, such as `{{person.fullName}}`:',
    '',
    '| module | functions |',
    '| --- | --- |',
    ...modules.map(
      ([, name, functions]) =>
        `| \`${name}\` | ${functions
          .split(' ')
          .map((each) => `\`${each}\``)
          .join(', ')} |`,
    ),
  );
}

const TIME = 'docs/time.md';
const time = readFileSync(TIME, 'utf8');
if (!MARKS.test(time)) throw new Error(`${TIME} has no place for the lifetimes`);
const pages = new Map([
  ['docs/reference/flags.md', flags()],
  ['docs/reference/settings.md', settings()],
  ['docs/reference/fixtures.md', fixtures()],
  ['docs/reference/scenarios.md', scenarios()],
  ['docs/reference/template-functions.md', placeholders()],
  [
    TIME,
    time.replace(MARKS, (_, begin, end) => `${begin}\n${lifetimeTable(SettingsRow['x-defaults'])}\n${end}`),
  ],
]);
complainOf(writePages(pages, ['docs/reference']));
