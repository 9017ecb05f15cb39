import { html, type Fragment, type Html } from './html.ts';

interface ChoiceOptions {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
  value?: string | undefined;
  hint?: Fragment;
  /** What is wrong with what was chosen. */
  problem?: string | undefined;
  required?: boolean;
  id?: string;
}

/** One labelled list to choose from. */
export function choice(wanted: ChoiceOptions): Html {
  const { name, label, options, value, hint, problem, required, id = name } = wanted;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <select
      id="${id}"
      name="${name}"
      ${required && 'required'}
      ${describedBy(id, hint, problem)}
      ${problem && html`aria-invalid="true"`}
    >
      ${options.map(
        (option) =>
          html`<option value="${option.value}" ${option.value === value && 'selected'}>
            ${option.label}
          </option>`,
      )}
    </select>
    ${remarks(id, hint, problem)}
  </div>`;
}

type TextOptions = Omit<ChoiceOptions, 'options'>;

/** One labelled field of several lines. */
export function longText(wanted: TextOptions): Html {
  const { name, label, value = '', hint, problem, required, id = name } = wanted;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <textarea
      id="${id}"
      name="${name}"
      autocomplete="off"
      spellcheck="false"
      ${required && 'required'}
      ${describedBy(id, hint, problem)}
      ${problem && html`aria-invalid="true"`}
    >
${value}</textarea>
    ${remarks(id, hint, problem)}
  </div>`;
}

function describedBy(id: string, hint: Fragment, problem: string | undefined): Fragment {
  const ids = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return ids !== '' && html`aria-describedby="${ids}"`;
}

const remarks = (id: string, hint: Fragment, problem: string | undefined): Fragment => [
  hint && html`<span class="hint" id="${id}-hint">${hint}</span>`,
  problem && html`<p class="alert bad" role="alert" id="${id}-problem">${problem}</p>`,
];
