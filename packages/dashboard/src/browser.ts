import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** The address of the service, which serves the dashboard at `/_control/`; a proxy may put a path before that. */
export const serviceUrl = (): string => location.origin + location.pathname.replace(/\/_control\/.*$/s, '');

/** Opens an address in a new tab that knows nothing of this one. */
export function openTab(address: string): void {
  const tab = window.open(address, '_blank');
  if (tab) tab.opener = null;
}

/** Saves a text as a file. A link could not carry the control token of the server. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** On a phone, a list of links is one line that is wider than the screen: scrolls it to the current link. */
export function useCurrentInView(current: string | undefined) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = list.current?.querySelector('[aria-current]');
    if (list.current && link) list.current.scrollLeft += middleOf(link) - middleOf(list.current);
  }, [current]);
  return list;
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}

/** After `hold()`: scrolls with the element when content above it grows or shrinks, so that it stays in its place on the screen. */
export function useStill(changed: string) {
  const element = useRef<HTMLElement>(null);
  const isHeld = useRef(false);
  const before = element.current?.getBoundingClientRect().top;
  useLayoutEffect(() => {
    const after = element.current?.getBoundingClientRect().top;
    if (isHeld.current && before !== undefined && after !== undefined) scrollBy(0, after - before);
    isHeld.current = false;
  }, [changed]);
  return { element, hold: () => void (isHeld.current = true) };
}

/** Moves the keyboard to the element when it appears. */
export function useFirstFocus<T extends HTMLElement>() {
  const element = useRef<T>(null);
  useEffect(() => element.current?.focus(), []);
  return element;
}
