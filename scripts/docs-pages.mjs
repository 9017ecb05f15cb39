// docs/ -> docs/ in the folder of the dashboard: an HTML page for each page, its pictures, and an index for the search.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { Marked } from 'marked';
import { slugOf } from './markdown.mjs';

const FOLDER = 'docs';
const START = 'README.md';
/** The pages in it are for those who work on Understudy, and not served. */
const MAINTAINERS = 'maintainers/';

/**
 * `assets` are the names of the built files that the pages load. No folder has the name of a page, because the address of
 * a page has no ending.
 */
export function writeDocs(out, assets) {
  mkdirSync(out, { recursive: true });
  const pages = inOrder(servedFiles().filter((file) => file.endsWith('.md'))).map(readPage);
  for (const page of pages) {
    mkdirSync(dirname(`${out}/${page.name}`), { recursive: true });
    writeFileSync(`${out}/${page.name}.html`, html(page, pages, assets));
  }
  writeFileSync(`${out}/search.json`, JSON.stringify(pages.flatMap(({ sections }) => sections)));
  for (const file of servedFiles().filter((each) => /^[^/]+\.(?!md$)\w+$/.test(each)))
    copyFileSync(`${FOLDER}/${file}`, `${out}/${file}`);
}

const servedFiles = () =>
  readdirSync(FOLDER, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.startsWith(MAINTAINERS));

/** The start page names the others in the order to read them in. */
function inOrder(files) {
  const listed = Array.from(
    readFileSync(`${FOLDER}/${START}`, 'utf8').matchAll(/\]\(([\w-]+\.md)\)/gm),
    ([, file]) => file,
  );
  return [...new Set([START, ...listed, ...files])];
}

const nameOf = (file) => (file === START ? 'index' : file.replace(/\.md$/, ''));

function readPage(file) {
  const headings = [];
  const marked = new Marked({ renderer: renderer(headings, file) });
  const tokens = marked.lexer(readFileSync(`${FOLDER}/${file}`, 'utf8'));
  const content = marked.parser(tokens);
  const name = nameOf(file);
  const title = headings.find(({ depth }) => depth === 1).text;
  return { name, title, headings, content, sections: sectionsOf(tokens, { name, title, headings }) };
}

/** The HTML of a page has no inline code, and each heading can be linked to as on GitHub. */
const renderer = (headings, file) => ({
  heading({ tokens, depth, text }) {
    const plain = plainText(text);
    const slug = slugOf(plain);
    const same = headings.filter((each) => each.slug === slug).length;
    const id = same === 0 ? slug : `${slug}-${same}`;
    headings.push({ depth, text: plain, slug, id });
    return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  },
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens);
    // The files around docs/ are not part of what is served.
    const target = posix.join(dirname(file), href);
    return target.startsWith('../') || target.startsWith(MAINTAINERS)
      ? text
      : `<a href="${escaped(addressOf(href))}">${text}</a>`;
  },
  code({ text, lang }) {
    return `<pre tabindex="0"><code${lang ? ` data-language="${escaped(lang)}"` : ''}>${escaped(text)}</code></pre>\n`;
  },
  table({ header, rows }) {
    const cells = (row, tag) =>
      row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
    const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>\n`).join('');
    const head = `<thead><tr>${cells(header, 'th scope="col"').replaceAll('</th scope="col">', '</th>')}</tr></thead>`;
    return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
  },
  html: () => '',
});

const addressOf = (href) => href.replace(/^([\w./-]+)\.md/, (_, name) => (name === 'README' ? './' : name));

const plainText = (markdown) => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What the search looks into: the text below each heading. */
function sectionsOf(tokens, { name, title, headings }) {
  const sections = [];
  let left = [...headings];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { text, id, depth } = left.shift();
      sections.push({
        page: name,
        title,
        heading: depth === 1 ? '' : text,
        id: depth === 1 ? '' : id,
        text: '',
      });
    } else if (token.type !== 'html' && token.type !== 'space') {
      sections.at(-1).text += `${plainText(token.raw)
        .replace(/[|\s-]*\n[|\s-]*|\s+\|\s+/g, ' ')
        .trim()} `;
    }
  }
  return sections;
}

const html = (page, pages, assets) => `<!doctype html>
<html lang="en">
${head(page, assets)}
<body class="docs">
<a class="skip" href="#page">Skip to the page</a>
${headerOf(page)}
<div class="around">
<nav class="pages" aria-label="Pages">
<details open><summary>All pages</summary>
<ul class="plain">
${pages
  .filter(({ name }) => !name.includes('/') || name === page.name)
  .map((each) => `<li>${entry(each, page)}</li>`)
  .join('\n')}
</ul></details>
</nav>
<main id="page" tabindex="-1">
<section class="found" aria-label="Search results" hidden></section>
<article>
${page.content}</article>
</main>
${contents(page)}
</div>
</body>
</html>
`;

/** From a page to the folder of the dashboard. */
const upFrom = ({ name }) => '../'.repeat(name.split('/').length);

const head = (page, { style, docsStyle, docsScript }) => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · Understudy</title>
<link rel="icon" href="${upFrom(page)}../favicon.ico">
<link rel="stylesheet" href="${upFrom(page)}assets/${style}">
<link rel="stylesheet" href="${upFrom(page)}assets/${docsStyle}">
<script type="module" src="${upFrom(page)}assets/${docsScript}"></script>
</head>`;

const headerOf = (page) => `<header>
<a class="brand" href="${upFrom(page)}">Understudy</a>
<nav class="places" aria-label="Parts of Understudy"><a href="${upFrom(page)}">Dashboard</a> <a href="${upFrom(page)}#/default/reference">API reference</a>
<a href="${upFrom(page)}docs/" aria-current="true">Docs</a></nav>
<form role="search" class="search" hidden><input type="search" aria-label="Search the docs" placeholder="Search the docs"
autocomplete="off" spellcheck="false"></form>
</header>`;

const entry = ({ name, title }, page) =>
  `<a href="${upFrom(page)}docs/${name === 'index' ? '' : name}"${name === page.name ? ' aria-current="page"' : ''}>${escaped(title)}</a>`;

function contents({ headings }) {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const entries = shown.map(
    ({ id, text, depth }) => `<li class="level-${depth}"><a href="#${id}">${escaped(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2>\n<ul class="plain">\n${entries.join('\n')}\n</ul></nav>`;
}
