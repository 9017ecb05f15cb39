/**
 * Gives elements of the viewer the names and roles that it leaves out: a screen reader needs them. The viewer makes
 * elements anew at any time, so all are looked at after each change.
 */
export function repair(viewer: HTMLElement): void {
  const run = () => {
    for (const [selector, mend] of REPAIRS)
      for (const each of viewer.querySelectorAll<HTMLElement>(selector)) mend(each);
  };
  const watched = ['aria-expanded', 'aria-label', 'aria-labelledby', 'role'];
  const options = { subtree: true, childList: true, characterData: true, attributeFilter: watched };
  new MutationObserver(run).observe(viewer, options);
  viewer.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if ((key !== 'Enter' && key !== ' ') || !(target as HTMLElement).matches(ARROW)) return;
    event.preventDefault();
    (target as HTMLElement).click();
  });
}

/** Shows and hides the members of an object. */
const ARROW = '[role=button]:not(.sl-panel__titlebar)';

const REPAIRS: readonly (readonly [selector: string, mend: (each: HTMLElement) => void])[] = [
  ['[role=heading]:not([aria-level])', (each) => set(each, 'aria-level', '2')],
  // The contents of a panel are no landmark: a page has dozens.
  ['.sl-panel [role=region]', (each) => set(each, 'role', 'group')],
  ['.sl-panel__titlebar:has(button)', openTitle],
  [ARROW, nameArrow],
  ['button:not([aria-label])', nameIcon],
  ['button[aria-label]', nameWithText],
  ['textarea:not([aria-label])', (each) => set(each, 'aria-label', 'Body of the request')],
  ['.sl-code-viewer__scroller, .sl-overflow-x-auto', reachByKeyboard],
];

/** An attribute that is set again would be a change, and so on for ever. */
function set(each: HTMLElement, name: string, value: string): void {
  if (each.getAttribute(name) !== value) each.setAttribute(name, value);
}

const textOf = (each: Element) => (each.textContent ?? '').replaceAll(/\s+/g, ' ').trim();

/** A button cannot hold another button: the title of a panel with a menu is a group. Enter still folds the panel. */
function openTitle(each: HTMLElement): void {
  const expanded = each.getAttribute('aria-expanded');
  set(each, 'role', 'group');
  if (expanded === null) return;
  each.removeAttribute('aria-expanded');
  set(each, 'aria-label', `${textOf(each)}: press Enter to ${expanded === 'true' ? 'hide' : 'show'} it`);
}

function nameArrow(each: HTMLElement): void {
  const member = each.parentElement?.querySelector('[data-test^=property-name]');
  set(each, 'tabindex', '0');
  set(each, 'aria-label', `Show or hide ${member ? textOf(member) : 'the members'}`);
}

const ICONS: Record<string, string> = { bars: 'Show the list of operations', copy: 'Copy', xmark: 'Close' };

function nameIcon(each: HTMLElement): void {
  const icon = each.querySelector('svg')?.dataset['icon'];
  if (icon !== undefined && textOf(each) === '') set(each, 'aria-label', ICONS[icon] ?? icon);
}

/** Who speaks to a computer says what is written on a button: its name must have that text. */
function nameWithText(each: HTMLElement): void {
  const text = textOf(each);
  if (text === '') return;
  const name = (each.dataset['name'] ??= each.getAttribute('aria-label')!);
  set(each, 'aria-label', `${name}: ${text}`);
  each.removeAttribute('aria-labelledby');
}

function reachByKeyboard(each: HTMLElement): void {
  set(each, 'tabindex', '0');
  if (each.getAttribute('role') === null) set(each, 'role', 'group');
  if (each.getAttribute('aria-label') === null) set(each, 'aria-label', 'Code');
}
