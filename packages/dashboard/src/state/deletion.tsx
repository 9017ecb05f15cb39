import { useSignal } from '@preact/signals';
import { useAction, useData } from '../data.ts';
import { Complaint, Do, Confirmation } from '../parts/parts.tsx';
import { NameOfRow } from '../parts/row-link.tsx';
import { environment } from '../session.ts';
import type { Collection, Dependents } from '@understudy/client/control';
import { go, href } from '../route.ts';

interface UndoProps {
  /** Only a change of this row; without it, of any. */
  row?: string;
  onUndone?: () => void;
}

/**
 * Takes back the last change of rows that the dashboard made, and nothing else. A change that was made after the list was
 * read is not in the list: the page gives this a new key then.
 */
export function Undo({ row, onUndone }: UndoProps) {
  const { value = [], reload } = useData(
    () => environment.value.state.undos(),
    ['snapshot', 'reset', 'state'],
  );
  const undone = useSignal('');
  const action = useAction();
  const last = value.at(-1);
  const isOffered = last && last.id !== undone.value && (row === undefined || last.row === row);
  if (!isOffered) return <Complaint of={action.error.value} />;
  const undo = async () => {
    try {
      await environment.value.state.undo(last.id);
      undone.value = last.id;
      onUndone?.();
    } finally {
      reload();
    }
  };
  const others = last.rows - 1;
  return (
    <section class="undo">
      <Complaint of={action.error.value} />
      <Do action={action} run={undo}>
        Undo {last.verb} {last.row}
      </Do>
      {others > 0 && <span class="hint">{others === 1 ? 'and 1 more row' : `and ${others} more rows`}</span>}
    </section>
  );
}

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
    await state.delete(collection, id, { undo: true });
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
  const told = `This deletes ${rows(deleted)} too and changes ${rows(changed)}.`;
  return deleted + changed < MOST_UNDONE ? told : `${told} So many rows cannot be brought back.`;
}

/** The most rows of changes that the server keeps for an undo. */
const MOST_UNDONE = 20_000;

const SHOWN = 50;

const Rows = ({ title, rows }: { title: string; rows: Dependents['deleted'] }) =>
  rows.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul class="plain named">
        {rows.slice(0, SHOWN).map(({ collection, id }) => (
          <li key={`${collection} ${id}`}>
            {collection.replaceAll('_', ' ')} <a href={href('row', collection, id)}>{id}</a>
            <NameOfRow id={id} />
          </li>
        ))}
        {rows.length > SHOWN && <li>and {rows.length - SHOWN} more</li>}
      </ul>
    </>
  );
