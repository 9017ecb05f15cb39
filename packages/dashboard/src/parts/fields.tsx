import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

/** What a field shows, and what becomes of what is typed or chosen. */
export interface Bound {
  value: string;
  onInput: (value: string) => void;
}

/** A field that shows and changes a text. */
export const bound = (text: Signal<string>): Bound => ({
  value: text.value,
  onInput: (value) => (text.value = value),
});

/** A field that shows and changes one text of a form. */
export const member = <T extends object>(form: Signal<T>, name: keyof T & string): Bound => ({
  value: String(form.value[name]),
  onInput: (value) => (form.value = { ...form.value, [name]: value }),
});

export interface LabelProps {
  label: string;
  hint?: string | undefined;
  /** What the server says about this field. */
  complaint?: string | undefined;
}

interface LabelledProps extends LabelProps {
  /** The field itself, with the attributes that connect it to its label and texts. */
  children: (attributes: { id: string } & JSX.AriaAttributes) => JSX.Element;
}

/** A field with its label above it, and its hint and complaint below it. */
export function Labelled({ label, hint, complaint, children }: LabelledProps) {
  const id = useId();
  const texts = [hint && `${id}-hint`, complaint && `${id}-complaint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': texts || undefined,
        'aria-invalid': complaint ? true : undefined,
      })}
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
      {complaint && (
        <small id={`${id}-complaint`} class="complaint" role="alert">
          {complaint}
        </small>
      )}
    </div>
  );
}

interface ChoiceProps extends LabelProps, Bound {
  /** Values and what they are called. */
  options: readonly (readonly [value: string, name: string])[];
}

/** A list to choose from. */
export const Choice = ({ value, onInput, options, ...label }: ChoiceProps) => (
  <Labelled {...label}>
    {(attributes) => (
      <select {...attributes} value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

interface SuggestionProps extends LabelProps, Bound {
  suggestions: readonly string[];
}

/** A text field that proposes values. */
export const Suggestion = ({ value, onInput, suggestions, ...label }: SuggestionProps) => (
  <Labelled {...label}>
    {(attributes) => (
      <>
        <input
          {...attributes}
          list={`${attributes.id}-list`}
          value={value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        <datalist id={`${attributes.id}-list`}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </>
    )}
  </Labelled>
);

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
