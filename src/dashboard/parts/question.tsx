import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface QuestionProps {
  isOpen: boolean;
  close: () => void;
  /** While it is closed: the button that opens it. While it is open: the question, with the button that closes it last. */
  children: ComponentChildren;
}

/** A question in place of a button. Escape closes it. The keyboard goes to the button that closes it, and back. */
export function Question({ isOpen, close, children }: QuestionProps) {
  const box = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current !== isOpen) [...(box.current?.querySelectorAll('button') ?? [])].at(-1)?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <div
      ref={box}
      class={isOpen ? 'asked-first' : 'not-asked'}
      onKeyDown={({ key }) => key === 'Escape' && isOpen && close()}
    >
      {children}
    </div>
  );
}
