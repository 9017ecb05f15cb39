// Fails when a link of README.md, CONTRIBUTING.md or docs/ leads to a file or a heading that is not there.
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pageFiles, readPage } from './markdown.mjs';

const OTHERS = ['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];
const ELSEWHERE = /^(https?|mailto):/;

const pages = new Map([...pageFiles(), ...OTHERS].map((file) => [file, readPage(file)]));
const dead = [...pages.values()].flatMap(({ file, links }) =>
  links.flatMap(({ line, target }) => {
    const reason = whyDead(file, target);
    return reason === undefined ? [] : [`${file}:${line}: ${target}: ${reason}`];
  }),
);
for (const line of dead) console.error(line);
if (dead.length > 0) process.exitCode = 1;

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
