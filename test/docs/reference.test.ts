import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { coverageOptions, envOptions, serveOptions } from '../../src/commands/options.ts';
import { COLLECTIONS } from '../../src/world/schema.ts';

const page = (name: string) => readFileSync(name, 'utf8');
const docs = readdirSync('docs').filter((name) => name.endsWith('.md'));

describe('docs/command-line.md', () => {
  const text = page('docs/command-line.md');

  it.each(serveOptions({}).map(({ flags }) => flags))('has %s', (flags) => {
    expect(text).toContain(`\`${flags}\``);
  });

  it.each([
    ['sdks.md', envOptions({})],
    ['journal.md', coverageOptions({})],
  ] as const)('leaves to %s the flags of another command', (name, options) => {
    const missing = options.filter(({ long }) => !page(`docs/${name}`).includes(`\`${long}`));

    expect(missing.map(({ long }) => long)).toEqual([]);
  });
});

describe('docs/scenarios.md', () => {
  const text = page('docs/scenarios.md');
  const shipped = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'));

  it.each(shipped)('lists %s with its parameters', (name) => {
    const scenario = parse(page(`scenarios/${name}`)) as { name: string; params?: object };

    const names = [scenario.name, ...Object.keys(scenario.params ?? {})];

    expect(names.filter((each) => !text.includes(`\`${each}\``))).toEqual([]);
  });
});

describe('docs/fixtures.md', () => {
  it('has each id of organizations, users, memberships and connected accounts', () => {
    const text = page('docs/fixtures.md');
    const fixture = JSON.parse(page('fixtures/default.json')) as Record<string, { id: string }[]>;
    const collections = [
      'organizations',
      'users',
      'memberships',
      'connected_accounts',
      'clients',
      'sessions',
    ];

    const ids = collections.flatMap((collection) => fixture[collection]!.map(({ id }) => id));

    expect(ids.filter((id) => !text.includes(`\`${id}\``))).toEqual([]);
    expect(COLLECTIONS).toEqual(expect.arrayContaining(collections));
  });
});

describe('docs/README.md and README.md', () => {
  it.each(docs.filter((name) => name !== 'README.md'))('lead to %s', (name) => {
    expect(page('docs/README.md')).toContain(`](${name})`);
    expect(page('README.md')).toContain(`](docs/${name})`);
  });

  it('fit into what somebody reads', () => {
    expect(page('README.md').length).toBeLessThan(10_240);
  });

  it('name the folders that are there', () => {
    const folders = readdirSync('src', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}/`);
    const named = Array.from(page('README.md').matchAll(/^\| `(src\/[^`]+)`/gm), ([, name = '']) => name);

    expect(named.toSorted()).toEqual(folders.toSorted());
  });
});
