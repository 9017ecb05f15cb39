import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useFirstFocus } from '../browser.ts';

export interface Pickable {
  key: string;
  title: string;
  /** Shown below the title. */
  detail?: string | undefined;
  /** What kind of thing it is. */
  kind?: string | undefined;
}

interface PickerProps<T extends Pickable> {
  label: string;
  placeholder: string;
  text: Signal<string>;
  /** The best first. */
  found: readonly T[];
  choose: (chosen: T) => void;
  /** How many others fit that the list leaves out. */
  more?: number;
  /** What the list says when nothing is found. */
  nothing: string;
}

/** A field with a list of what fits. The arrow keys move in the list, and Enter chooses. */
export function Picker<T extends Pickable>({
  label,
  placeholder,
  text,
  found,
  choose,
  more = 0,
  nothing,
}: PickerProps<T>) {
  const id = useId();
  const at = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  const input = useFirstFocus<HTMLInputElement>();
  const current = Math.min(at.value, found.length - 1);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) at.value = (current + step + found.length) % Math.max(1, found.length);
    else if (event.key !== 'Enter' || !found[current]) return;
    else choose(found[current]);
    event.preventDefault();
  };
  return (
    <div class="picker">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={move}
      />
      {found.length === 0 && <Said text={nothing} />}
      <ul ref={list} id={id} role="listbox" aria-label={label} class="plain">
        {found.map((each, index) => {
          const place = { id: `${id}-${index}`, isCurrent: index === current };
          return <Option key={each.key} {...place} item={each} choose={() => choose(each)} />;
        })}
      </ul>
      {more > 0 && <Said text={`and ${more.toLocaleString('en')} more: another word narrows the list`} />}
    </div>
  );
}

const Said = ({ text }: { text: string }) => (
  <p class="empty" role="status">
    {text}
  </p>
);

interface OptionProps {
  id: string;
  item: Pickable;
  isCurrent: boolean;
  choose: () => void;
}

// The keyboard stays in the field, which names the current option.
const Option = ({ id, item: { title, kind, detail }, isCurrent, choose }: OptionProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
  <li id={id} role="option" aria-selected={isCurrent} onClick={choose}>
    <span class="title">{title}</span>
    {kind !== undefined && <span class="badge">{kind}</span>}
    {detail !== undefined && <span class="faint">{detail}</span>}
  </li>
);
