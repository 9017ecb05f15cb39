import type { Signal } from '@preact/signals';

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
