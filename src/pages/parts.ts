import { html, type Fragment, type Html } from './html.ts';

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
