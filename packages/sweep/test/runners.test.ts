import { describe, expect, it } from 'vitest';
import { commandFor, runnerOf } from '../src/runs/runners.ts';

const only = (command: string[], ...tests: string[]) => commandFor(command, runnerOf(command)!, tests);

describe('a command for some tests only', () => {
  it('names the files and the tests of vitest and jest', () => {
    expect(
      only(['npx', 'vitest', 'run'], 'a.test.ts > roles > a role (new)', 'a.test.ts > is listed'),
    ).toEqual(['npx', 'vitest', 'run', 'a.test.ts', '-t', '^(roles a role \\(new\\)|is listed)$']);
    expect(only(['jest'], 'a.test.js > is listed')).toEqual(['jest', 'a.test.js', '-t', '^(is listed)$']);
  });

  it('names the titles of Playwright without project and file', () => {
    expect(only(['npx', 'playwright', 'test'], ' > chromium > a.spec.ts > members > are shown')).toEqual([
      'npx',
      'playwright',
      'test',
      '-g',
      '(a\\.spec\\.ts members are shown)$',
    ]);
  });

  it('names the ids of pytest, or the functions if the command has files', () => {
    expect(only(['python', '-m', 'pytest', '-q'], 'tests/test_a.py::test_b[1]')).toEqual([
      'python',
      '-m',
      'pytest',
      '-q',
      'tests/test_a.py::test_b[1]',
    ]);
    expect(only(['pytest', 'tests'], 'tests/test_a.py::test_b[1]', 'tests/test_a.py::test_c')).toEqual([
      'pytest',
      'tests',
      '-k',
      'test_b or test_c',
    ]);
  });

  it('names the functions of Go and the methods of JUnit', () => {
    expect(only(['go', 'test', './...'], 'example.com/app/a_test.go > TestRole/is_created')).toEqual([
      'go',
      'test',
      './...',
      '-count=1',
      '-run',
      '^(TestRole)$',
    ]);
    expect(only(['mvn', 'test'], 'example.RoleTest.isCreated > [1] admin')).toEqual([
      'mvn',
      'test',
      '-Dtest=example.RoleTest#isCreated',
    ]);
  });

  it('follows the script of package.json', () => {
    expect(only(['npm', 'test'], 'a.test.ts > is listed')).toEqual([
      'npm',
      'test',
      '--',
      'a.test.ts',
      '-t',
      '^(is listed)$',
    ]);
  });

  it('names the titles of node:test before the files, and all tests if one has none', () => {
    const command = ['node', '--test', 'a.test.mjs'];

    expect(only(command, 'a.test.mjs > roles > is created', 'roles > is listed')).toEqual([
      'node',
      '--test',
      '--test-name-pattern=^(roles|is created|is listed)$',
      'a.test.mjs',
    ]);
    expect(only(command, 'a.test.mjs', 'roles > is listed')).toEqual(command);
  });

  it('does not know other runners', () => {
    expect(runnerOf(['node', 'a.mjs'])).toBeUndefined();
  });
});
