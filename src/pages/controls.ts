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

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** What happened, or what to know. */
export const alert = (kind: 'bad' | 'good' | 'note', text: Fragment): Html =>
  html`<p class="alert ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;

interface FormOptions {
  action: string;
  csrf_token: string;
  content: Fragment;
  /** Beside other things, not below them. */
  inline?: boolean;
}

/** A form of ours: it carries its page's token. */
export const form = ({ action, csrf_token, content, inline }: FormOptions): Html =>
  html`<form method="post" action="${action}" ${inline && html`class="inline"`}>
    ${hidden('csrf_token', csrf_token)} ${content}
  </form>`;

/** As people write it: `Wed, 16 Jan 2030 12:00 UTC`. */
export const readableTime = (time: string): string =>
  new Date(time).toUTCString().replace(/:\d\d GMT$/, ' UTC');

/** As `readableTime`, with seconds. */
export const exactTime = (time: string): string => new Date(time).toUTCString().replace('GMT', 'UTC');

/** What a failure says, as a page says it; addresses and names of fields keep their letters. */
export function sentence(text: string): string {
  const isWord = /^[a-z]+\b(?![@_.])/.test(text);
  const begun = isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return begun.endsWith('.') ? begun : `${begun}.`;
}
