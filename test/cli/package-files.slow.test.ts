import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { compiledCodeOf } from '../../src/start/load-program.ts';
import { describe, expect, it } from 'vitest';

interface Tarball {
  files: { path: string }[];
}

/** The files that the program reads by name. */
const READ = [
  'config.schema.json',
  'control.checks.json',
  'control.checks.txt',
  'control.contract.json',
  'control.json',
  'control.schemas.json',
  'fixtures.json',
  'openapi.checks.json',
  'openapi.checks.txt',
  'openapi.contract.json',
  'openapi.json',
  'openapi.schemas.json',
  'rpc.binpb',
];

/** The files that `exports` in package.json names. */
const { exports: exported } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
const IMPORTED = [...new Set(JSON.stringify(exported).match(/dist\/[\w.-]+/g))];

function packed(): string[] {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [tarball] = JSON.parse(text) as [Tarball];
  return tarball.files.map(({ path }) => path).toSorted();
}

/** Every file that a file of dist/ imports or requires, recursively. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (file.endsWith('.json')) return found;
  const names = readFileSync(`dist/${file}`, 'utf8').matchAll(/"\.\/([\w./-]+\.(?:cjs|json))"/g);
  for (const [, name = ''] of names) reached(name, found);
  return found;
}

/** The files of docs/, without those for maintainers. */
const docsFiles = () =>
  readdirSync('docs', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative('docs', join(parentPath, name)))
    .filter((file) => !file.startsWith('maintainers'));

/** The pages of the dashboard and the docs, the files they refer to, and the files these import. */
const dashboardFiles = () => {
  const docs = docsFiles().map((file) => `docs/${file.replace(/\.md$/, '.html').replace('README', 'index')}`);
  const pages = ['index.html', ...docs];
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const text = readFileSync(`dist/dashboard/assets/${name}`, 'utf8');
    for (const [, next = ''] of text.matchAll(/"\.\/([\w.-]+\.js)"/g))
      if (existsSync(`dist/dashboard/assets/${next}`)) visit(next);
  };
  for (const page of pages.filter((file) => file.endsWith('.html'))) {
    const text = readFileSync(`dist/dashboard/${page}`, 'utf8');
    for (const [, name = ''] of text.matchAll(/"[./_a-z]*assets\/([^"]+)"/g)) visit(name);
  }
  return [...pages, 'docs/search.json', ...Array.from(found, (name) => `assets/${name}`)].map(
    (file) => `dist/dashboard/${file}`,
  );
};

const linesOf = (file: string, start: RegExp) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => start.test(line))
    .map((line) => line.replace(start, ''));

describe('the package', () => {
  it('has exactly the files that the program needs', () => {
    const asked = [...reached('understudy.js')];
    const compiled = asked.filter((file) => file.startsWith('program-')).map(compiledCodeOf);
    const program = [...asked, ...compiled, ...READ].map((file) => `dist/${file}`);
    const others = ['fixtures', 'probes', 'scenarios'].flatMap((folder) =>
      readdirSync(folder).map((file) => `${folder}/${file}`),
    );
    const folders = [...docsFiles().map((file) => `docs/${file}`), ...others];
    const beside = ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/THIRD-PARTY-NOTICES.txt', 'package.json'];
    const whole = [...program, ...dashboardFiles(), ...IMPORTED, ...folders, ...beside];

    expect(packed()).toEqual(whole.toSorted());
  });

  it('starts without the libraries for RPCs, agents, certificates and databases', () => {
    const [program] = [...reached('understudy.js')].filter((file) => file.startsWith('program-'));
    const { sources } = JSON.parse(readFileSync(`dist/${program}.map`, 'utf8')) as { sources: string[] };
    const libraries = sources.filter((file) =>
      /node_modules\/(@bufbuild|@connectrpc|@modelcontextprotocol|pkijs|pg|prom-client|zod)\//.test(file),
    );

    expect(libraries).toEqual([]);
  });

  it('starts from a text in ASCII, because the launcher reads it as Latin-1', () => {
    const [program] = [...reached('understudy.js')].filter((file) => file.startsWith('program-'));
    const bytes = readFileSync(`dist/${program}`);

    expect(bytes.findIndex((byte) => byte > 127)).toBe(-1);
  });
});

describe('the image', () => {
  it('copies exactly the files that its build context allows', () => {
    const copied = linesOf('Dockerfile', /^COPY (?!--from)/).flatMap((line) => line.split(' ').slice(0, -1));
    const paths = copied.map((path) => path.replace('/*.md', ''));
    // The manifests of the packages come first.
    const folders = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));

    expect([...new Set(folders)].toSorted()).toEqual(linesOf('.dockerignore', /^!/).toSorted());
    expect(folders.filter((path) => !existsSync(path))).toEqual([]);
  });
});
