import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ConfirmationProps {
  isOpen: boolean;
  close: () => void;
  /** While it is closed: the button that opens it. While it is open: the text, with the button that closes it last. */
  children: ComponentChildren;
}

/** Asks before something is done, in place of a button. Escape closes it. The keyboard goes to the button that closes it, and back. */
export function Confirmation({ isOpen, close, children }: ConfirmationProps) {
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
