import { wordsOf } from '@understudy/text/words';

const form = document.querySelector<HTMLFormElement>('form.search')!;
const input = form.querySelector('input')!;
const results = document.querySelector<HTMLElement>('.found')!;
const article = document.querySelector<HTMLElement>('article')!;
/** Closed on phones, where the list of pages is above the page. */
const NARROW = '(max-width: 800px)';

let index: Promise<Section[]> | undefined;

/** The address of the first page, from any page. */
const start = document.querySelector<HTMLAnchorElement>('.places [aria-current]')!.href;

const load = async (): Promise<Section[]> =>
  (await fetch(new URL('search.json', start))).json() as Promise<Section[]>;

/** Shows what was found in place of the page; an empty search shows the page again. */
async function show(): Promise<void> {
  const query = input.value.trim();
  results.hidden = query === '';
  article.hidden = query !== '';
  if (query === '') return;
  index ??= load();
  const found = search(await index, query);
  if (input.value.trim() === query)
    results.replaceChildren(heading(), summary(found.length, query), list(found));
}

function heading(): HTMLElement {
  const made = element('h1');
  made.textContent = 'Search results';
  return made;
}

function summary(count: number, query: string): HTMLElement {
  const line = element('p', 'faint');
  line.setAttribute('role', 'status');
  line.textContent = count === 0 ? `No page has “${query}”.` : `${count} of the best places for “${query}”`;
  return line;
}

function list(found: readonly Found[]): HTMLElement {
  const items = element('ul', 'plain rows');
  for (const { section, excerpt } of found) {
    const { page, id, title, heading } = section;
    const link = document.createElement('a');
    link.href = `${start}${page === 'index' ? '' : page}${id && `#${id}`}`;
    link.textContent = heading ? `${title}: ${heading}` : title;
    // The link leads to a heading of this page, which must be visible again before the browser scrolls to it.
    link.addEventListener('click', close);
    const text = element('p', 'faint');
    text.textContent = excerpt;
    const item = document.createElement('li');
    item.append(link, text);
    items.append(item);
  }
  return items;
}

function close(): void {
  input.value = '';
  results.hidden = true;
  article.hidden = false;
}

function element(name: 'h1' | 'p' | 'ul', className = ''): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

/** One section of a page: a heading and its text. `scripts/docs-pages.mjs` writes the index. */
interface Section {
  /** The name of the page in its address. */
  page: string;
  title: string;
  /** Empty for the text above the first heading of a page. */
  heading: string;
  id: string;
  text: string;
}

interface Found {
  section: Section;
  excerpt: string;
}

const MOST = 20;
/** Characters of an excerpt before the first word that was found, and in all. */
const BEFORE = 60;
const LENGTH = 180;

/** The sections that have every word; a word in a title or heading counts more than one in the text. */
function search(sections: readonly Section[], query: string): Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}

function scoreOf({ title, heading, text }: Section, words: readonly string[]): number {
  const parts = [title.toLowerCase(), heading.toLowerCase(), text.toLowerCase()] as const;
  let score = 0;
  for (const word of words) {
    if (!parts.some((part) => part.includes(word))) return 0;
    score += (parts[1].includes(word) ? 6 : 0) + (parts[0].includes(word) ? 4 : 0);
    score += Math.min(3, parts[2].split(word).length - 1);
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const start = first === text.length ? 0 : Math.max(0, first - BEFORE);
  const shown = text.slice(start, start + LENGTH).trim();
  return `${start > 0 ? '…' : ''}${shown}${start + LENGTH < text.length ? '…' : ''}`;
}

form.hidden = false;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.focus();
});
input.addEventListener('input', () => void show());
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') close();
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
if (matchMedia(NARROW).matches) document.querySelector('.pages details')?.removeAttribute('open');
