import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** What runs the package `understudy`: `npx understudy`, `npx --yes understudy@1`, `["npx", "understudy"]`. */
const STRANGER = /\bnpx\b(?:["',\s[:]|args|-\S+)*\bunderstudy(?![-\w/])/;

const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
const texts = tracked.filter(
  (file) => /\.(md|mjs|ts|tsx|py|go|java|ya?ml|json|sh)$/.test(file) && !file.endsWith('commands.test.ts'),
);

describe('a command that runs without an installed package', () => {
  it.each(['npx understudy mcp', 'npx -y understudy@1', '"command": "npx", "args": ["understudy", "mcp"]'])(
    'would run another package: %s',
    (line) => expect(line).toMatch(STRANGER),
  );

  it('names this package in every file, because the npm package `understudy` belongs to somebody else', () => {
    const wrong = texts.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) => (STRANGER.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    );

    expect(texts.length).toBeGreaterThan(1000);
    expect(wrong).toEqual([]);
  });
});
