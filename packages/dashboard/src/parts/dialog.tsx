import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  /** A palette needs no visible title. */
  isTitleHidden?: boolean;
  close: () => void;
  children: ComponentChildren;
}

/** Something that is done on top of the page. Escape closes it, and the keyboard goes back to where it was. */
export function Dialog({ title, isTitleHidden = false, close, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = element.current!;
    shown.showModal();
    shown.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => shown.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // The browser would only clear a search field that has text.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
      onClick={({ target }) => target === element.current && close()}
    >
      <div class="in-dialog">
        <h2 id={id} class={isTitleHidden ? 'for-readers' : undefined}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
