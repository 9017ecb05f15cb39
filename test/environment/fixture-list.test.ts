import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixtureTable } from '../support/fixture-table.ts';

const PAGE = 'docs/fixtures.md';

/** The words and ids of a line: a formatter may align the columns. */
const plain = (line: string) => line.replaceAll(/\s+/g, ' ').trim();

describe('the list of ids in the docs', () => {
  it.each(['small', 'default', 'sso', 'demo'])('has every row of %s', (name) => {
    const lines = new Set(readFileSync(PAGE, 'utf8').split('\n').map(plain));

    const missing = fixtureTable(name).filter((line) => !lines.has(plain(line)));

    expect(missing).toEqual([]);
  });

  it('has no row that is in no fixture', () => {
    const rows = new Set(['small', 'default', 'sso', 'demo'].flatMap(fixtureTable).map(plain));
    const listed = readFileSync(PAGE, 'utf8')
      .split('\n')
      .map(plain)
      .filter((line) => /^\| \w+ \| `/.test(line));

    expect(listed.filter((line) => !rows.has(line))).toEqual([]);
  });
});
