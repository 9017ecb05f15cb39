// Fails when a link of README.md, CONTRIBUTING.md, docs/ or examples/ leads to a file or a heading that is not there, or when they name
// a source file that is not there.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pageFiles, readPage } from './markdown.mjs';

const OTHERS = ['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];
const EXAMPLES = ['', ...readdirSync('examples')]
  .map((folder) => join('examples', folder, 'README.md'))
  .filter((file) => existsSync(file));
/** Pages for those who work on Understudy. */
const ABOUT_SOURCES = new Set(['README.md', 'CONTRIBUTING.md', 'docs/maintainers/architecture.md']);
const ELSEWHERE = /^(https?|mailto):/;

const pages = new Map([...pageFiles(), ...OTHERS, ...EXAMPLES].map((file) => [file, readPage(file)]));
const dead = [...pages.values()].flatMap(({ file, links }) =>
  links.flatMap(({ line, target }) => {
    const reason = whyDead(file, target);
    return reason === undefined ? [] : [`${file}:${line}: ${target}: ${reason}`];
  }),
);
const gone = [...pages.values()]
  .filter(({ file }) => ABOUT_SOURCES.has(file))
  .flatMap(({ file, paths }) =>
    paths
      .filter(({ path }) => !existsSync(path))
      .map(({ line, path }) => `${file}:${line}: there is no ${path}`),
  );
for (const line of [...dead, ...gone]) console.error(line);
if (dead.length + gone.length > 0) process.exitCode = 1;

/** Returns the error, or undefined if the target exists. Does not check addresses on the web. */
function whyDead(from, target) {
  if (ELSEWHERE.test(target)) return undefined;
  const [path, anchor] = target.split('#');
  const file = path === '' ? from : normalize(join(dirname(from), path)).replace(/\/$/, '');
  if (file.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(file)) return 'there is no such file';
  if (anchor === undefined) return undefined;
  const page = pages.get(file);
  if (!page) return 'only headings of Markdown pages are known';
  return page.anchors.has(anchor) ? undefined : 'the page has no such heading';
}
