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

/** A cell that has the heading of its column before it on phones. */
interface LabelledCell {
  labelled: Fragment;
}

type Cell = Html | string | LabelledCell;

/** A table with one column for each heading; phones show each row as a block. */
export const table = (headings: readonly string[], rows: readonly (readonly Cell[])[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell, column) => cellMarkup(cell, headings[column] ?? ''))}
          </tr>`,
      )}
    </tbody>
  </table>`;

export const labelled = (content: Fragment): LabelledCell => ({ labelled: content });

const cellMarkup = (cell: Cell, heading: string): Html =>
  typeof cell === 'object' && 'labelled' in cell
    ? html`<td data-head="${heading}">${cell.labelled}</td>`
    : html`<td>${cell}</td>`;

/** Longer words may not fit into one line of a phone, or of a column. */
const LONG_WORD = /\S{20}/;

/** An e-mail address; a long one that does not fit into a line of its own breaks before `@` and `.`. */
export function breakable(address: string): Fragment {
  if (!LONG_WORD.test(address)) return address;
  const pieces = address
    .split(/(?=[@.])/)
    .map((piece, index) => (index === 0 ? piece : html`${raw('<wbr />')}${piece}`));
  return html`<span class="address">${pieces}</span>`;
}

/** A page of the dashboard, such as `request` and the id of a journal entry. */
export const dashboardAddress = (environment: string, ...steps: string[]): string =>
  `/_control/#/${[environment, ...steps].map(encodeURIComponent).join('/')}`;
