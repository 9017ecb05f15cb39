/** Markup that may be sent as it is. Only `html` and `raw` make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template. Texts are escaped, lists are joined, what is absent leaves nothing. */
export type Fragment = Html | string | number | false | null | undefined | readonly Fragment[];

/** A template whose values can't become markup, wherever they stand in it: `<p title="${text}">${text}</p>`. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(parts.reduce((text, part, index) => text + written(values[index - 1]) + part));
}

/** Markup, styles or scripts of our own, unescaped. */
export const raw = (text: string) => new Html(text);

function written(value: Fragment): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === null || value === false) return '';
  return typeof value === 'object' ? value.map(written).join('') : escape(String(value));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
