import { isId, rowNamed } from '../names.ts';
import { href } from '../route.ts';

/** An id as a link to its row, with the name of the row beside it. An id of no row stays a text. */
export function RowLink({ id, quoted = false }: { id: string; quoted?: boolean }) {
  const text = quoted ? JSON.stringify(id) : id;
  const row = isId(id) ? rowNamed(id).value : undefined;
  if (!row) return <>{text}</>;
  return (
    <>
      <a href={href('row', row.collection, id)}>{text}</a>
      <NameOfRow id={id} />
    </>
  );
}

/** The name, where the row has one and is still there. */
export function NameOfRow({ id }: { id: string }) {
  const row = isId(id) ? rowNamed(id).value : undefined;
  return row && row.name !== id ? <span class="name-of-row"> {row.name}</span> : null;
}
