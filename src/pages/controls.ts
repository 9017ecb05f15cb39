import { html, type Fragment, type Html } from './html.ts';

interface ControlOptions {
  /** Also used for the id; ids of a page must differ. */
  name: string;
  label: string;
  hint?: Fragment;
  /** What is wrong with the submitted value. */
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
  /** The submitted value and the visible text. */
  options: readonly (readonly [value: string, text: string])[];
  value?: string | undefined;
}

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

export const select = ({ options, value, ...of }: SelectOptions): Html =>
  labelled(
    of,
    html`<select id="${idOf(of)}" name="${of.name}" ${stateOf(of)}>
      ${options.map(
        ([each, text]) => html`<option value="${each}" ${each === value && 'selected'}>${text}</option>`,
      )}
    </select>`,
  );

/** A field for several lines of text. */
export const textarea = ({ value = '', ...of }: ControlOptions & { value?: string | undefined }): Html =>
  labelled(
    of,
    html`<textarea id="${idOf(of)}" name="${of.name}" autocomplete="off" spellcheck="false" ${stateOf(of)}>
${value}</textarea>`,
  );

/** A read-only value to copy; focusing it selects all. */
export const copyable = ({ value, ...of }: ControlOptions & { value: string }): Html =>
  labelled(
    of,
    html`<input id="${idOf(of)}" name="${of.name}" type="text" value="${value}" readonly ${stateOf(of)} />`,
  );

interface CheckboxOptions {
  name: string;
  label: string;
  checked: boolean;
  /** For several checkboxes of one name: submitted instead of `on`. */
  value?: string;
}

/** A checked box submits `on`, an unchecked one nothing. */
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

/** Links hint and problem to the control, for screen readers. */
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

/** A message at the top of a page or section. */
export const alert = (kind: 'bad' | 'good' | 'note', text: Fragment): Html =>
  html`<p class="alert ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;

interface FormOptions {
  action: string;
  /** Absent: the form belongs to no browser. */
  csrf_token?: string | undefined;
  content: Fragment;
  /** Beside other content instead of below it. */
  inline?: boolean;
}

/** A form with the CSRF token of its page. */
export const form = ({ action, csrf_token, content, inline }: FormOptions): Html =>
  html`<form method="post" action="${action}" ${inline && html`class="inline"`}>
    ${csrf_token !== undefined && hidden('csrf_token', csrf_token)} ${content}
  </form>`;

interface SwitchOptions {
  action: string;
  csrf_token: string;
  enabled: boolean;
  /** How the button that switches off looks. */
  off: 'bad' | 'quiet';
}

/** A button that switches something on or off. */
export const switchForm = ({ action, csrf_token, enabled, off }: SwitchOptions): Html =>
  form({
    action,
    csrf_token,
    content: html`${hidden('enabled', String(!enabled))}<button class="${enabled ? off : ''}">
        ${enabled ? 'Switch off' : 'Switch on'}
      </button>`,
    inline: true,
  });

export const switchBadge = ({ enabled }: { enabled: boolean }): Html =>
  enabled ? html`<span class="badge good">On</span>` : html`<span class="badge">Off</span>`;

/** For people: `Wed, 16 Jan 2030 12:00 UTC`. */
export const readableTime = (time: string): string =>
  new Date(time).toUTCString().replace(/:\d\d GMT$/, ' UTC');

/** Like `readableTime`, with seconds. */
export const exactTime = (time: string): string => new Date(time).toUTCString().replace('GMT', 'UTC');

/** Turns an error message into a sentence; addresses and field names keep their case. */
export function sentence(text: string): string {
  const isWord = /^[a-z]+\b(?![@_.])/.test(text);
  const begun = isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return begun.endsWith('.') ? begun : `${begun}.`;
}
