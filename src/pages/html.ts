/** Markup that needs no escaping. Only `html` and `raw` create it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Values of a template: texts are escaped, lists are joined, missing values are left out. */
export type Fragment = Html | string | number | false | null | undefined | readonly Fragment[];

/** A template that escapes its values, also in attributes: `<p title="${text}">${text}</p>`. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(parts.reduce((text, part, index) => text + markupOf(values[index - 1]) + part));
}

/** Our own markup, styles or scripts, unescaped. */
export const raw = (text: string) => new Html(text);

function markupOf(value: Fragment): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === null || value === false) return '';
  return typeof value === 'object' ? value.map(markupOf).join('') : escape(String(value));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
