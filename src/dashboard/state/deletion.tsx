import { useSignal } from '@preact/signals';
import { useAction, useData } from '../data.ts';
import { Complaint, Do, Confirmation } from '../parts/parts.tsx';
import { environment } from '../session.ts';
import type { Collection, Dependents } from '../../client/control.ts';
import { go, href } from '../route.ts';

/** Snapshots with this prefix are those of the dashboard. */
const NAME = /^undo-(\d+)-(.+)$/;
/** Older ones are deleted. */
const MOST = 10;

/** Takes a snapshot, to which `Undo` returns, then makes a change. If the change fails, the snapshot is deleted. */
export async function withUndo(what: string, change: () => Promise<unknown>): Promise<void> {
  const { snapshots } = environment.value;
  const known = await savePoints();
  const number = (known.at(-1)?.number ?? 0) + 1;
  const name = `undo-${number}-${what.replaceAll(/[^\w.-]/g, '-')}`.slice(0, 64);
  await snapshots.take(name);
  try {
    await change();
  } catch (thrown) {
    await snapshots.delete(name);
    throw thrown;
  }
  for (const each of known.slice(0, Math.max(0, known.length + 1 - MOST))) await snapshots.delete(each.name);
}

/** Oldest first. */
async function savePoints(): Promise<{ name: string; number: number; what: string }[]> {
  const all = await environment.value.snapshots.list();
  return all
    .flatMap(({ name }) => {
      const [, number, what] = NAME.exec(name) ?? [];
      return number === undefined || what === undefined ? [] : [{ name, number: Number(number), what }];
    })
    .toSorted((a, b) => a.number - b.number);
}

/** Undoes the last change that the dashboard made, and everything since. */
export function Undo() {
  const { value = [], reload } = useData(savePoints, ['snapshot', 'reset', 'state']);
  const action = useAction();
  const last = value.at(-1);
  if (!last) return null;
  const { snapshots } = environment.value;
  const undo = async () => {
    // A change that was saved a moment ago may not be in the list that is shown.
    const { name } = (await savePoints()).at(-1) ?? last;
    await snapshots.restore(name);
    await snapshots.delete(name);
    reload();
  };
  return (
    <section class="undo">
      <Complaint of={action.error.value} />
      <Do action={action} run={undo}>
        Undo {last.what.replace('-', ' ')}
      </Do>
      <span class="hint">
        Undo restores the whole environment as it was before the change. It also takes back what calls have
        changed since.
      </span>
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
