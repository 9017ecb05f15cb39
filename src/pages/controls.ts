import { html, type Fragment, type Html } from './html.ts';

interface ControlOptions {
  /** The name too; ids of a page differ. */
  name: string;
  label: string;
  hint?: Fragment;
  /** What is wrong with what was entered. */
  problem?: Fragment;
  required?: boolean;
  id?: string;
}

interface FieldOptions extends ControlOptions {
  type?: 'text' | 'email' | 'password' | 'url';
  value?: string | undefined;
  autocomplete?: string;
  autofocus?: boolean;
}

interface SelectOptions extends ControlOptions {
  /** What is sent, and what is read. */
  options: readonly (readonly [value: string, text: string])[];
  value?: string | undefined;
}

/** One line of text. */
export function field({
  type = 'text',
  value = '',
  autocomplete = 'off',
  autofocus,
  ...of
}: FieldOptions): Html {
  const control = html`<input
    id="${idOf(of)}"
    name="${of.name}"
    type="${type}"
    value="${value}"
    autocomplete="${autocomplete}"
    ${autofocus && 'autofocus'}
    ${stateOf(of)}
  />`;
  return labelled(of, control);
}

/** One of a few. */
export const select = ({ options, value, ...of }: SelectOptions): Html =>
  labelled(
    of,
    html`<select id="${idOf(of)}" name="${of.name}" ${stateOf(of)}>
      ${options.map(
        ([each, text]) => html`<option value="${each}" ${each === value && 'selected'}>${text}</option>`,
      )}
    </select>`,
  );

/** Text of many lines. */
export const textarea = ({ value = '', ...of }: ControlOptions & { value?: string | undefined }): Html =>
  labelled(
    of,
    html`<textarea id="${idOf(of)}" name="${of.name}" autocomplete="off" spellcheck="false" ${stateOf(of)}>
${value}</textarea>`,
  );

/** Something to copy: it is selected as a whole, and changes nothing. */
export const copyable = ({ value, ...of }: ControlOptions & { value: string }): Html =>
  labelled(
    of,
    html`<input id="${idOf(of)}" name="${of.name}" type="text" value="${value}" readonly ${stateOf(of)} />`,
  );

interface CheckboxOptions {
  name: string;
  label: string;
  checked: boolean;
  /** One of several of that name; sent in the place of `on`. */
  value?: string;
}

/** On or off; sent as `on`, or not at all. */
export const checkbox = ({ name, label, checked, value }: CheckboxOptions): Html =>
  html`<label class="check"
    ><input
      type="checkbox"
      id="${value ?? name}"
      name="${name}"
      ${value !== undefined && html`value="${value}"`}
      ${checked && 'checked'}
    />
    ${label}</label
  >`;

const idOf = ({ id, name }: ControlOptions) => id ?? name;

/** What is said of a control is tied to it, for those who can't see where it stands. */
function labelled(of: ControlOptions, control: Html): Html {
  const { label, hint, problem } = of;
  const id = idOf(of);
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${control} ${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`}
    ${problem && html`<p class="alert bad" role="alert" id="${id}-problem">${problem}</p>`}
  </div>`;
}

function stateOf(of: ControlOptions): Fragment {
  const { hint, problem, required } = of;
  const ids = [hint && `${idOf(of)}-hint`, problem && `${idOf(of)}-problem`].filter(Boolean).join(' ');
  return [
    required && ' required',
    ids !== '' && html` aria-describedby="${ids}"`,
    problem && html` aria-invalid="true"`,
  ];
}
