import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { serveOptions } from '../../src/cli/options.ts';

const page = (name: string) => readFileSync(name, 'utf8');
const docs = readdirSync('docs').filter((name) => name.endsWith('.md'));

describe('docs/command-line.md', () => {
  const text = page('docs/command-line.md');

  const current = serveOptions({}).filter(({ hidden }) => !hidden);

  it.each(current.map(({ long }) => long!))('describes %s, or the list of flags does', (flag) => {
    expect(text + page('docs/reference/flags.md')).toContain(`\`${flag}`);
  });
});

describe('docs/reference/scenarios.md', () => {
  const text = page('docs/reference/scenarios.md');
  const shipped = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'));

  it.each(shipped)('lists %s with its parameters', (name) => {
    const scenario = parse(page(`scenarios/${name}`)) as { name: string; params?: object };

    const names = [scenario.name, ...Object.keys(scenario.params ?? {})];

    expect(names.filter((each) => !text.includes(`\`${each}\``))).toEqual([]);
  });
});

describe('docs/fixtures.md', () => {
  const text = page('docs/fixtures.md') + page('docs/reference/fixtures.md');
  /** All fixtures without the catalogue, which all of them share. */
  const fixtures = readdirSync('fixtures')
    .filter((name) => name !== 'catalogue.json')
    .map((name) => JSON.parse(page(`fixtures/${name}`)) as Record<string, unknown>);
  const listed = [
    'organizations',
    'users',
    'memberships',
    'clients',
    'api_tokens',
    'connections',
    'connected_accounts',
    'domains',
    'directories',
    'sessions',
  ];

  it.each(listed)('lists the id of each row of %s', (collection) => {
    const rows = fixtures.flatMap((fixture) => (fixture[collection] ?? []) as { id: string }[]);

    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ id }) => id).filter((id) => !text.includes(`\`${id}\``))).toEqual([]);
  });

  it.each(readdirSync('fixtures'))('describes %s', (name) => {
    const plain = name.replace('.json', '');

    expect(text).toMatch(plain === 'catalogue' ? 'catalogue' : `\`${plain}\``);
  });
});

describe('docs/README.md and README.md', () => {
  const parts = docs.filter((name) => /-/.test(name) && docs.includes(name.replace(/-.*/, '.md')));

  it.each(docs.filter((name) => name !== 'README.md'))('link to %s', (name) => {
    expect(page('docs/README.md')).toContain(`](${name})`);
    if (!parts.includes(name)) expect(page('README.md')).toContain(`](docs/${name})`);
  });

  it.each(parts)('the page before the hyphen links to %s', (name) => {
    expect(page(`docs/${name.replace(/-.*/, '.md')}`)).toContain(`](${name}#`);
  });
});
