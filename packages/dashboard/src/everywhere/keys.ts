import { signal } from '@preact/signals';
import { route } from '../route.ts';
import { failing, failNext } from '../scenarios/failures.ts';

/** What is open on top of the page. */
export const overlay = signal<'palette' | 'help' | undefined>(undefined);

/** What each key does, for the help. */
export const KEYS = [
  ['Ctrl+K', 'find a page, an operation, a scenario, a row or a page of the docs'],
  ['/', 'go to the search of the page; Enter leads from there to the first entry that it has found'],
  ['j', 'the next entry of the list, or the call before this one'],
  ['k', 'the entry above, or the call after this one'],
  ['Enter', 'open the entry'],
  ['e', 'edit the row: go to the first field of its form'],
  ['f', 'fail the next call'],
  ['?', 'show this help'],
  ['Escape', 'close what is on top of the page'],
] as const;

const TYPED_INTO = 'input, textarea, select, [contenteditable]';

/** Listens to the keys that work on every page. Another page closes what is on top of it. */
export function followKeys(): void {
  addEventListener('hashchange', () => (overlay.value = failing.value = undefined));
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
      event.preventDefault();
      overlay.value = overlay.value === 'palette' ? undefined : 'palette';
      return;
    }
    const { target } = event;
    const isTyping = target instanceof Element && target.closest(TYPED_INTO) !== null;
    if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return;
    if (isTyping) {
      if (key === 'Enter' && !event.repeat && target.matches(SEARCH)) leaveSearch(target);
    } else if (ACTIONS[key]?.()) event.preventDefault();
  });
}

const SEARCH = 'main input[type=search]';
/** The list of a page, or else several short ones. */
const LISTS = ['.virtual a', 'ul.rows > li > a, .delivery > summary, article :is(h2, h3) > a'] as const;

/** How often the page is looked at, in milliseconds. */
const LOOK = 50;

let waiting: ReturnType<typeof setInterval> | undefined;

/** Moves from the search to the first entry of its list, once the list has what was typed, unless the reader goes elsewhere. */
function leaveSearch(field: Element): void {
  const place = field.closest('section') ?? document;
  let atRest = 0;
  clearInterval(waiting);
  waiting = setInterval(() => {
    // The list is told of a new address a moment later.
    atRest = isApplied(field) && !place.querySelector('[aria-busy=true]') ? atRest + 1 : 0;
    if (document.activeElement === field && atRest < 2) return;
    clearInterval(waiting);
    if (document.activeElement === field) focus(entriesIn(place)[0]);
  }, LOOK);
}

/** Whether what was typed is in the address. */
const isApplied = (field: Element): boolean =>
  !(field instanceof HTMLInputElement) ||
  field.value.trim() === '' ||
  [...route.peek().query.values()].includes(field.value);

const entriesIn = (place: ParentNode): HTMLElement[] =>
  LISTS.map((entries) =>
    [...place.querySelectorAll<HTMLElement>(entries)].filter(
      (each) => each.closest('main') !== null && each.checkVisibility(),
    ),
  ).find(({ length }) => length > 0) ?? [];

/** Each says whether it has done something. */
const ACTIONS: Readonly<Record<string, () => boolean>> = {
  '/': () => focus(document.querySelector<HTMLElement>(SEARCH)),
  e: () => focus(document.querySelector<HTMLElement>('main .row-form :is(input, select, textarea)')),
  j: () => step(1),
  k: () => step(-1),
  '?': () => {
    overlay.value = 'help';
    return true;
  },
  f: () => {
    failNext();
    return true;
  },
};

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return !!element;
}

/** Moves in the list of the page; on the page of one call, to its neighbour. */
function step(by: 1 | -1): boolean {
  const neighbour = document.querySelector<HTMLElement>(`main [data-step="${by}"]`);
  if (neighbour) {
    neighbour.click();
    return true;
  }
  const entries = entriesIn(document);
  const at = entries.findIndex((each) => each === document.activeElement);
  return focus(entries[at < 0 ? 0 : at + by]);
}
