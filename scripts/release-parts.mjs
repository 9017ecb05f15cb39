// What a release consists of, and where its version stands.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const EXECUTABLES = [
  'understudy-linux-x64',
  'understudy-linux-arm64',
  'understudy-linux-x64-musl',
  'understudy-linux-arm64-musl',
  'understudy-darwin-x64',
  'understudy-darwin-arm64',
  'understudy-win32-x64.exe',
];

const filesOf = (version) => ({
  'npm package': `understudy-server-${version}.tgz`,
  'Python wheel': `understudy_testing-${version}-py3-none-any.whl`,
  'Python source': `understudy_testing-${version}.tar.gz`,
  'Maven bundle': `understudy-junit-${version}-bundle.zip`,
  'tags of the Go modules': 'go-tags.txt',
  notes: 'NOTES.md',
  checksums: 'SHA256SUMS',
});

/** Each file that has the version of the release, and what the version stands between. */
const VERSIONS = [
  ['clients/python/pyproject.toml', /^version = "(.*)"$/m],
  ['clients/java/pom.xml', /<artifactId>understudy-junit<\/artifactId>\s*<version>(.*)<\/version>/],
  ['clients/java/spring/pom.xml', /<artifactId>understudy-junit<\/artifactId>\s*<version>(.*)<\/version>/],
  ['clients/java/README.md', /<artifactId>understudy-junit<\/artifactId>\s*<version>(.*)<\/version>/],
  ['clients/go/understudycontainer/go.mod', /^\tunderstudy\.example\/understudytest v(.*)$/m],
];

/**
 * Without a tag, for a dry run: executables of other platforms and the repository may be missing, and parts that begin with a
 * word of `skipped`.
 */
export function problemsOf({ folder, version, tag, skipped = [] }) {
  const isThere = (file) => existsSync(join(folder, file));
  const missing = Object.entries(filesOf(version)).flatMap(([part, file]) =>
    isThere(file) || skipped.some((each) => part.startsWith(each)) ? [] : [`the ${part} is missing: ${file}`],
  );
  const executables = EXECUTABLES.filter((file) => !isThere(file)).map((file) => `the executable ${file}`);
  const strict =
    tag === undefined
      ? []
      : [...executables.map((each) => `${each} is missing`), ...tagProblems(version, tag)];
  return {
    problems: [
      ...missing,
      ...versionProblems(version),
      ...sumProblems(folder),
      ...npmProblems(folder, version, tag),
      ...strict,
    ],
    elsewhere:
      tag === undefined ? [...skipped, ...executables, 'the image for linux/amd64 and linux/arm64'] : [],
  };
}

const tagProblems = (version, tag) =>
  tag === `v${version}` ? [] : [`the tag is ${tag}, and package.json has the version ${version}`];

const versionProblems = (version) =>
  VERSIONS.flatMap(([file, pattern]) => {
    const [, found] = pattern.exec(readFileSync(file, 'utf8')) ?? [];
    return found === version ? [] : [`${file} has the version ${found}, not ${version}`];
  });

function sumProblems(folder) {
  if (!existsSync(join(folder, 'SHA256SUMS'))) return [];
  const lines = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n').filter(Boolean);
  return lines.flatMap((line) => {
    const [sum, file] = line.split('  ');
    if (!existsSync(join(folder, file))) return [`SHA256SUMS lists ${file}, which is missing`];
    const found = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    return found === sum ? [] : [`${file} is not what SHA256SUMS lists`];
  });
}

/** npm compares the repository with the provenance, so a release needs it. */
function npmProblems(folder, version, tag) {
  const file = join(folder, `understudy-server-${version}.tgz`);
  if (!existsSync(file)) return [];
  const text = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
  const { publishConfig, repository } = JSON.parse(text);
  return [
    ...(publishConfig?.provenance === true
      ? []
      : ['package.json does not ask for provenance (publishConfig)']),
    ...(tag === undefined || repository
      ? []
      : ['package.json names no repository, which the provenance needs']),
  ];
}
