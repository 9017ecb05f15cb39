import { useSignal } from '@preact/signals';
import type { Collection, Dependents } from '../../client/control.ts';
import { useAction } from '../data.ts';
import { Complaint, Do } from '../parts/parts.tsx';
import { Confirmation } from '../parts/confirmation.tsx';
import { go, href } from '../route.ts';
import { environment } from '../session.ts';
import { withUndo } from './undo.tsx';

interface DeletionProps {
  collection: Collection;
  id: string;
}

/** Shows the rows that would be deleted with the row. */
export function Deletion({ collection, id }: DeletionProps) {
  const found = useSignal<Dependents | undefined>(undefined);
  const action = useAction();
  const { state } = environment.value;
  const ask = async () => {
    found.value = await state.dependents(collection, id);
  };
  const remove = async () => {
    await withUndo(`delete-${id}`, () => state.delete(collection, id));
    go(href('state', collection));
  };
  const { deleted = [], changed = [] } = found.value ?? {};
  return (
    <section class="card">
      <h2>Delete</h2>
      <Complaint of={action.error.value} />
      <Confirmation isOpen={found.value !== undefined} close={() => (found.value = undefined)}>
        {found.value === undefined ? (
          <Do action={action} kind="bad" run={ask}>
            Delete…
          </Do>
        ) : (
          <>
            <p role="status">{sentenceOf(deleted.length, changed.length)}</p>
            <Rows title="Deleted with it" rows={deleted} />
            <Rows title="Lose a reference" rows={changed} />
            <div class="actions">
              <Do action={action} kind="bad" run={remove}>
                Delete {deleted.length === 0 ? 'the row' : `${deleted.length + 1} rows`}
              </Do>
              <button type="button" onClick={() => (found.value = undefined)}>
                Keep
              </button>
            </div>
          </>
        )}
      </Confirmation>
    </section>
  );
}

function sentenceOf(deleted: number, changed: number): string {
  if (deleted + changed === 0) return 'No other row depends on this row.';
  const rows = (count: number) => `${count} other ${count === 1 ? 'row' : 'rows'}`;
  return `This deletes ${rows(deleted)} too and changes ${rows(changed)}.`;
}

const SHOWN = 50;

const Rows = ({ title, rows }: { title: string; rows: Dependents['deleted'] }) =>
  rows.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul class="plain named">
        {rows.slice(0, SHOWN).map(({ collection, id }) => (
          <li key={`${collection} ${id}`}>
            {collection.replaceAll('_', ' ')} <a href={href('row', collection, id)}>{id}</a>
          </li>
        ))}
        {rows.length > SHOWN && <li>and {rows.length - SHOWN} more</li>}
      </ul>
    </>
  );
