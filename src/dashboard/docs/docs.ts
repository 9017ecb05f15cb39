import { search, type Found, type Section } from './search.ts';

const form = document.querySelector<HTMLFormElement>('form.search')!;
const input = form.querySelector('input')!;
const results = document.querySelector<HTMLElement>('.found')!;
const article = document.querySelector<HTMLElement>('article')!;
/** On a phone the list of pages would stand before every page. */
const NARROW = '(max-width: 800px)';

let index: Promise<Section[]> | undefined;

const load = async (): Promise<Section[]> => (await fetch('search.json')).json() as Promise<Section[]>;

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
    link.href = `${page === 'index' ? './' : page}${id && `#${id}`}`;
    link.textContent = heading ? `${title}: ${heading}` : title;
    // A heading of this very page: the page must be visible again before the browser goes to it.
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
