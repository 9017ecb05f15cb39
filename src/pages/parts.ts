import { html, type Fragment, type Html } from './html.ts';

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

interface FieldOptions {
  /** The name too; ids of a page differ. */
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url';
  value?: string | undefined;
  hint?: Fragment;
  /** What is wrong with what was entered. */
  problem?: Fragment;
  autocomplete?: string;
  required?: boolean;
  autofocus?: boolean;
  id?: string;
}

/** One labelled field; what is said of it is tied to it for those who can't see where it stands. */
export function field(options: FieldOptions): Html {
  const { name, label, type = 'text', value = '', hint, problem, autocomplete = 'off', id = name } = options;
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${options.required && 'required'}
      ${options.autofocus && 'autofocus'}
      ${described !== '' && html`aria-describedby="${described}"`}
      ${problem && html`aria-invalid="true"`}
    />
    ${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`}
    ${problem && html`<p class="alert bad" role="alert" id="${id}-problem">${problem}</p>`}
  </div>`;
}

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
