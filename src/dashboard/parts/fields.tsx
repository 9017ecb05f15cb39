import { useSignal, type Signal } from '@preact/signals';

interface ChoiceProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** Values and what they are called. */
  options: readonly (readonly [value: string, name: string])[];
  hint?: string | undefined;
}

let choices = 0;

/** A list to choose from, whose entries are called something else than their values. */
export function Choice({ label, value, onInput, options, hint }: ChoiceProps) {
  const id = useSignal(`choice-${(choices += 1)}`).value;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onInput(event.currentTarget.value)}
      >
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface SuggestionProps extends Omit<ChoiceProps, 'options'> {
  suggestions: readonly string[];
}

/** A text field that proposes values. */
export function Suggestion({ label, value, onInput, suggestions, hint }: SuggestionProps) {
  const id = useSignal(`choice-${(choices += 1)}`).value;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        list={`${id}-list`}
        value={value}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface SearchProps {
  label: string;
  placeholder: string;
  /** What is typed. */
  text: Signal<string>;
  class?: string;
}

/** The field that filters a list. */
export const Search = ({ label, placeholder, text, class: name }: SearchProps) => (
  <input
    type="search"
    class={name}
    aria-label={label}
    placeholder={placeholder}
    value={text.value}
    onInput={(event) => (text.value = event.currentTarget.value)}
  />
);
