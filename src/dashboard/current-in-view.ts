import { useEffect, useRef } from 'preact/hooks';

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
