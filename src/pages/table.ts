import { html, type Fragment, type Html } from './html.ts';

/** A cell that has the heading of its column before it on phones. */
interface LabelledCell {
  labelled: Fragment;
}

export type Cell = Html | string | LabelledCell;

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
