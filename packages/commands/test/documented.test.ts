import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/commands/commands.ts';
import { envOptions } from '../src/commands/env-command.ts';
import { coverageOptions, reportOptions } from '../src/commands/report-commands.ts';

const page = (name: string) => readFileSync(`docs/${name}`, 'utf8');

describe('docs/', () => {
  it('describes every command', () => {
    const text = page('command-line.md');
    const terminal = { variables: {}, platform: 'linux', out() {}, err() {}, fail() {} } as const;
    const names = commands({ terminal }).flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((each) => `${command.name()} ${each.name()}`),
    );
    const isNamed = (name: string) => text.includes(`understudy ${name}`) || text.includes(`\`${name}\``);
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  });

  it.each([
    ['sdks.md', envOptions({})],
    ['journal.md', coverageOptions({})],
    ['journal.md', reportOptions({})],
  ] as const)('describes in %s the flags of its command', (name, options) => {
    const missing = options.filter(({ long }) => !page(name).includes(`\`${long}`));

    expect(missing.map(({ long }) => long)).toEqual([]);
  });
});
