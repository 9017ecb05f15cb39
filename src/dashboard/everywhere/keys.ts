import { signal } from '@preact/signals';
import { failNext } from '../scenarios/failures.ts';

/** What is open on top of the page. */
export const overlay = signal<'palette' | 'help' | undefined>(undefined);

/** What each key does, for the help. */
export const KEYS = [
  ['Ctrl+K', 'find a page, an operation, a scenario, a row or a page of the docs'],
  ['/', 'go to the search of the page'],
  ['j', 'the next entry of the list, or the call before this one'],
  ['k', 'the entry above, or the call after this one'],
  ['Enter', 'open the entry'],
  ['f', 'fail the next call'],
  ['?', 'show this help'],
  ['Escape', 'close what is on top of the page'],
] as const;

const TYPED_INTO = 'input, textarea, select, [contenteditable]';

/** Listens to the keys that work on every page. */
export function followKeys(): void {
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
      event.preventDefault();
      overlay.value = overlay.value === 'palette' ? undefined : 'palette';
      return;
    }
    const { target } = event;
    const isTyping = target instanceof Element && target.closest(TYPED_INTO) !== null;
    if (ctrlKey || metaKey || altKey || isTyping || document.querySelector('dialog[open]')) return;
    if (ACTIONS[key]?.()) event.preventDefault();
  });
}

/** Each says whether it has done something. */
const ACTIONS: Readonly<Record<string, () => boolean>> = {
  '/': () => focus(document.querySelector<HTMLElement>('main input[type=search]')),
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
  const links = [...document.querySelectorAll<HTMLElement>('main .virtual a, main ul.rows > li > a')];
  const at = links.findIndex((each) => each === document.activeElement);
  return focus(links[at < 0 ? 0 : at + by]);
}
