import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Tarball {
  files: { path: string }[];
}

/** What the program reads by name. */
const READ = [
  'control.contract.json',
  'control.json',
  'fixtures.json',
  'openapi.contract.json',
  'openapi.json',
  'rpc.binpb',
];

/** What programs import, and its types. */
const { exports: exported } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
const IMPORTED = [...new Set(JSON.stringify(exported).match(/dist\/[\w.-]+/g))];

function packed(): string[] {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [tarball] = JSON.parse(text) as [Tarball];
  return tarball.files.map(({ path }) => path).toSorted();
}

/** Every file that a file of dist/ imports or requires, and what those ask for in turn. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (file.endsWith('.json')) return found;
  const names = readFileSync(`dist/${file}`, 'utf8').matchAll(/"\.\/([\w./-]+\.(?:cjs|json))"/g);
  for (const [, name = ''] of names) reached(name, found);
  return found;
}

/** The page of the dashboard, and the files that it names. */
const dashboardFiles = () => {
  const page = readFileSync('dist/dashboard/index.html', 'utf8');
  const assets = Array.from(page.matchAll(/"\/_control\/(assets\/[^"]+)"/g), ([, file = '']) => file);
  return ['index.html', ...assets].map((file) => `dist/dashboard/${file}`);
};

const linesOf = (file: string, start: RegExp) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => start.test(line))
    .map((line) => line.replace(start, ''));

describe('the package', () => {
  it('holds what the program needs and nothing beside it', () => {
    const asked = [...reached('understudy.js')];
    const compiled = asked.filter((file) => file.startsWith('program-')).map((file) => `${file}.cache`);
    const program = [...asked, ...compiled, ...READ].map((file) => `dist/${file}`);
    const folders = ['docs', 'fixtures', 'scenarios'].flatMap((folder) =>
      readdirSync(folder).map((file) => `${folder}/${file}`),
    );
    const beside = ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/THIRD-PARTY-NOTICES.txt', 'package.json'];
    const whole = [...program, ...dashboardFiles(), ...IMPORTED, ...folders, ...beside];

    expect(packed()).toEqual(whole.toSorted());
  });
});

describe('the image', () => {
  it('is built from what its context lets through, and from all of it', () => {
    const copied = linesOf('Dockerfile', /^COPY (?!--from)/).flatMap((line) => line.split(' ').slice(0, -1));

    expect([...new Set(copied)].toSorted()).toEqual(linesOf('.dockerignore', /^!/).toSorted());
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
  });
});
