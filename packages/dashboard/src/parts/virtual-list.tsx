import { useSignal } from '@preact/signals';
import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** In pixels. */
const USUAL_HEIGHT = 36;
const SPARE = 10;

interface VirtualListProps<T> {
  /** Undefined: not read yet. */
  items: readonly (T | undefined)[];
  label: string;
  /** One row; a link or a button, so that the keyboard reaches it. */
  row: (item: T) => ComponentChildren;
  keyOf: (item: T) => string;
  /** Hears which items are to be read. */
  onView?: (first: number, end: number) => void;
  /** The item that is in view at first. */
  start?: number;
  /** Of a row, in pixels. */
  height?: number;
}

/** A list of rows of one height of which only the visible ones are in the page. */
export function VirtualList<T>({
  items,
  label,
  row,
  keyOf,
  onView,
  start = 0,
  height: rowHeight = USUAL_HEIGHT,
}: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current!;
    if (start > 0) element.scrollTop = (start + 0.5) * rowHeight - element.clientHeight / 2;
    const look = () => (view.value = { top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const { top: scrolled, height } = view.value;
  // After a filter, the list may be shorter than the scroll position; the browser corrects the position later.
  const top = Math.min(scrolled, Math.max(0, items.length * rowHeight - height));
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const end = Math.min(items.length, Math.ceil((top + height) / rowHeight) + SPARE);
  useEffect(() => onView?.(first, end), [first, end]);
  // Holes of the list become items: `map` would skip them.
  const shown = Array.from(items.slice(first, end));
  return (
    <div ref={box as Ref<HTMLDivElement>} class="virtual" role="list" aria-label={label} tabIndex={0}>
      <div style={{ height: `${items.length * rowHeight}px` }} role="presentation">
        {shown.map((item, index) => (
          <div
            key={item === undefined ? first + index : keyOf(item)}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${(first + index) * rowHeight}px)` }}
          >
            {item === undefined ? <p class="unread">Loading…</p> : row(item)}
          </div>
        ))}
      </div>
    </div>
  );
}
