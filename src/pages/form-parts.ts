import { html, type Fragment, type Html } from './html.ts';

interface PartOptions {
  /** The name too; ids of a page differ. */
  name: string;
  label: string;
  hint?: Fragment;
  problem?: string | undefined;
  id?: string;
}

interface SelectOptions extends PartOptions {
  /** What is sent, and what is read. */
  options: readonly (readonly [value: string, text: string])[];
  value?: string | undefined;
}

/** One of a few. */
export const select = ({ options, value, ...part }: SelectOptions): Html =>
  labelled(
    part,
    html`<select id="${idOf(part)}" name="${part.name}" ${described(part)}>
      ${options.map(
        ([each, text]) => html`<option value="${each}" ${each === value && 'selected'}>${text}</option>`,
      )}
    </select>`,
  );

/** Text of many lines. */
export const textarea = ({ value = '', ...part }: PartOptions & { value?: string | undefined }): Html =>
  labelled(
    part,
    html`<textarea id="${idOf(part)}" name="${part.name}" spellcheck="false" ${described(part)}>
${value}</textarea>`,
  );

/** Something to copy: it is selected as a whole, and changes nothing. */
export const copyable = ({ value, ...part }: PartOptions & { value: string }): Html =>
  labelled(
    part,
    html`<input
      id="${idOf(part)}"
      name="${part.name}"
      type="text"
      value="${value}"
      readonly
      ${described(part)}
    />`,
  );

/** On or off; sent as `on`, or not at all. */
export const checkbox = ({ name, label, checked }: { name: string; label: string; checked: boolean }): Html =>
  html`<label class="check"
    ><input type="checkbox" id="${name}" name="${name}" ${checked && 'checked'} /> ${label}</label
  >`;

const idOf = ({ id, name }: PartOptions) => id ?? name;

const labelled = (part: PartOptions, control: Html): Html =>
  html`<div class="field">
    <label for="${idOf(part)}">${part.label}</label>
    ${control} ${part.hint && html`<span class="hint" id="${idOf(part)}-hint">${part.hint}</span>`}
    ${part.problem && html`<p class="alert bad" role="alert" id="${idOf(part)}-problem">${part.problem}</p>`}
  </div>`;

/** Ties what is said of a control to it. */
function described(part: PartOptions): Fragment {
  const { hint, problem } = part;
  const ids = [hint && `${idOf(part)}-hint`, problem && `${idOf(part)}-problem`].filter(Boolean).join(' ');
  return [
    ids !== '' && html` aria-describedby="${ids}"`,
    problem !== undefined && html` aria-invalid="true"`,
  ];
}
