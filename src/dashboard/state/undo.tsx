import { useAction, useData } from '../data.ts';
import { Complaint, Do } from '../parts/parts.tsx';
import { environment } from '../session.ts';

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
