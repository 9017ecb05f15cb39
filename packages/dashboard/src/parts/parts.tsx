import { useSignal, signal } from '@preact/signals';
import type { ComponentChildren, JSX, ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../data.ts';
import { listen } from '../session.ts';
import { Choice, Labelled, type Bound, type LabelProps } from './fields.tsx';

export { Json } from './json.tsx';

interface Content {
  children?: ComponentChildren;
}

/** The heading of a page, with the buttons for the whole page beside it. */
export const Heading = ({ title, children }: Content & { title: string }) => (
  <div class="bar">
    <h1>{title}</h1>
    {children && <div class="actions">{children}</div>}
  </div>
);

/** The error message of the server. */
export const Complaint = ({ of }: { of: string | undefined }) =>
  of === undefined ? null : (
    <p class="alert bad" role="alert">
      {of}
    </p>
  );

export const Empty = ({ children }: Content) => <p class="empty">{children}</p>;

export const Badge = ({
  kind = '',
  children,
}: Content & { kind?: '' | 'good' | 'bad' | 'note' | undefined }) => (
  <span class={`badge ${kind}`}>{children}</span>
);

/** Says whether something is valid; undefined: the browser cannot check it. */
export function ValidBadge({ good }: { good: boolean | undefined }) {
  if (good === undefined) return <Badge kind="note">not checked</Badge>;
  return <Badge kind={good ? 'good' : 'bad'}>{good ? 'valid' : 'not valid'}</Badge>;
}

interface ButtonProps extends Content {
  action: Action;
  run: () => Promise<unknown>;
  kind?: 'main' | 'bad' | undefined;
  label?: string | undefined;
}

/** A button that does something on the server. It can't be pressed again before that is done. */
export const Do = ({ action, run, kind, label, children }: ButtonProps) => (
  <button
    type="button"
    class={kind}
    disabled={action.busy.value}
    aria-label={label}
    onClick={() => void action.run(run)}
  >
    {children}
  </button>
);

/** A text of the contract; the parts between backticks are shown as code. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={piece}>{piece}</code> : piece))}</>
);

/**
 * Copies a text and says so. Browsers offer `navigator.clipboard` only to pages of localhost and of https; elsewhere
 * the text is shown and selected.
 */
export function Copy({ text, children }: Content & { text: string }) {
  const state = useSignal<'idle' | 'copied' | 'shown'>('idle');
  const button = useRef<HTMLButtonElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      state.value = 'copied';
      setTimeout(() => (state.value = 'idle'), 2000);
    } catch {
      state.value = 'shown';
    }
  };
  const isCopied = state.value === 'copied';
  return (
    <>
      <button ref={button} type="button" class="copy" onClick={() => void copy()}>
        <span class={isCopied ? 'unseen' : ''}>{children}</span>
        <span class={isCopied ? '' : 'unseen'}>Copied</span>
      </button>
      {state.value === 'shown' && (
        <Selected text={text} close={() => (state.value = 'idle')} leave={() => button.current?.focus()} />
      )}
    </>
  );
}

interface SelectedProps {
  text: string;
  close: () => void;
  /** Moves the focus back to where it was. */
  leave: () => void;
}

/** The text, selected, for the reader to copy. It disappears when it loses the focus. */
function Selected({ text, close, leave }: SelectedProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <span class="to-copy">
      <textarea
        ref={field}
        readOnly
        rows={3}
        aria-label="Text to copy"
        value={text}
        onBlur={close}
        onKeyDown={({ key }) => key === 'Escape' && leave()}
      />
      <small class="hint" role="status">
        This browser copies only at localhost or over https. The text is selected: press Ctrl+C or ⌘C.
      </small>
    </span>
  );
}

interface FieldProps extends LabelProps, Bound {
  placeholder?: string | undefined;
  list?: readonly string[] | undefined;
  rows?: number | undefined;
  /** A secret is not shown while it is typed. */
  type?: 'text' | 'password' | undefined;
}

/** A text field with its label; several lines with `rows`; a choice with `list`. */
export function Field({ value, onInput, placeholder, list, rows, type = 'text', ...label }: FieldProps) {
  if (list) {
    const options = list.map((each) => [each, each || '—'] as const);
    return <Choice {...label} value={value} onInput={onInput} options={options} />;
  }
  const changed = (event: JSX.TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    onInput(event.currentTarget.value);
  const shared = { value, placeholder, spellcheck: false, autocomplete: 'off', onInput: changed };
  return (
    <Labelled {...label}>
      {(attributes) =>
        rows ? (
          <textarea {...attributes} {...shared} rows={rows} />
        ) : (
          <input {...attributes} {...shared} type={type} />
        )
      }
    </Labelled>
  );
}

/** `2026-11-22T15:32:24.566Z` without the milliseconds and the letters. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {at.replace('T', ' ').replace(/\.\d+Z$|Z$/, '')}
  </time>
);

export const statusKind = (status: number | undefined) =>
  status === undefined || status === 0 ? 'bad' : status < 400 ? 'good' : 'bad';

/** A component whose code the browser fetches when it is shown for the first time. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<{ Part: ComponentType<P> } | undefined>(undefined);
  const failure = signal<string | undefined>(undefined);
  let isAsked = false;
  const ask = () => {
    isAsked = true;
    load().then(
      (Part) => (loaded.value = { Part }),
      () => {
        // The page is asked for again when the feed opens.
        failure.value = 'Understudy does not answer. The page appears when it does.';
        const stop = listen(({ kind }) => {
          if (kind !== 'start') return;
          stop();
          failure.value = undefined;
          ask();
        });
      },
    );
  };
  return function Lazy(props: P) {
    if (!isAsked) ask();
    if (failure.value !== undefined && !loaded.value) return <Complaint of={failure.value} />;
    const { Part } = loaded.value ?? {};
    return Part ? <Part {...props} /> : <Empty>Loading…</Empty>;
  };
}

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

interface AskingProps extends Content {
  /** What the first button says, for screen readers with its object. */
  label?: string | undefined;
  kind?: 'bad' | undefined;
  /** The question, with what is lost. */
  question: ComponentChildren;
  /** What the second button says. */
  confirm: string;
  /** What the button that closes the question says. */
  keep: string;
  run: () => Promise<unknown>;
}

/** Does something that cannot be undone, after a question. `children`: the text of the first button. */
export function Asking({ label, kind, question, confirm, keep, run, children }: AskingProps) {
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
            <Do action={action} kind="bad" run={() => run().then(close)}>
              {confirm}
            </Do>
            <button type="button" onClick={close}>
              {keep}
            </button>
          </div>
        </>
      ) : (
        <button type="button" class={kind} aria-label={label} onClick={() => (isAsking.value = true)}>
          {children}
        </button>
      )}
    </Confirmation>
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
export const Removal = ({ verb, name, question, run }: RemovalProps) => (
  <Asking
    kind="bad"
    label={`${verb} ${name}…`}
    question={question}
    confirm={`${verb} ${name}`}
    keep="Keep it"
    run={run}
  >
    {verb}…
  </Asking>
);
