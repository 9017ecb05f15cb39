import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../data.ts';
import { Complaint, Do } from './parts.tsx';

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

interface RemovalProps {
  /** What the buttons say before the name. */
  verb: 'Delete' | 'Drop' | 'Remove';
  name: string;
  /** The question, with what else is lost. */
  question: string;
  run: () => Promise<unknown>;
}

/** Removes something that has a name, after a question. */
export function Removal({ verb, name, question, run }: RemovalProps) {
  const isAsking = useSignal(false);
  const action = useAction();
  const close = () => (isAsking.value = false);
  return (
    <Confirmation isOpen={isAsking.value} close={close}>
      {isAsking.value ? (
        <>
          <p role="status">{question}</p>
          <Complaint of={action.error.value} />
          <div class="actions">
            <Do action={action} kind="bad" run={run}>
              {verb} {name}
            </Do>
            <button type="button" onClick={close}>
              Keep it
            </button>
          </div>
        </>
      ) : (
        <button
          type="button"
          class="bad"
          aria-label={`${verb} ${name}…`}
          onClick={() => (isAsking.value = true)}
        >
          {verb}…
        </button>
      )}
    </Confirmation>
  );
}
