import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { NamedRow } from '@understudy/client/control';
import { environment, listen } from './session.ts';

/** Ids of rows that one call asks for. */
const AT_ONCE = 100;

/** By environment and id. Undefined: not known yet; null: there is no such row. */
const known = new Map<string, Signal<NamedRow | null | undefined>>();
const wanted = new Set<string>();

/** The names may be others now. */
listen(({ kind, data }) => {
  const isWhole = kind === 'reset' || kind === 'start' || kind === 'snapshot';
  if (kind !== 'state' && !isWhole) return;
  const { changes = [] } = (data ?? {}) as { changes?: readonly { path: string }[] };
  const changed = new Set(changes.map(({ path }) => path.split('/')[2]));
  for (const key of known.keys()) {
    const [name, id = ''] = key.split(' ');
    const isShown = name === environment.peek().name;
    if (!isShown) known.delete(key);
    else if (changed.size === 0 || changed.has(id)) want(id);
  }
});

function want(id: string): void {
  if (wanted.size === 0) setTimeout(() => void read(), 0);
  wanted.add(id);
}

const ID = /^(?:[a-z0-9-]+\.)?[a-z]+_[0-9]{1,24}$/;

/** Whether the text looks like the id of a row. */
export const isId = (text: string): boolean => ID.test(text) && !text.startsWith('req_');

/** The row with this id, once it is known. Ids that are asked for at the same time are read in one call. */
export function rowNamed(id: string): ReadonlySignal<NamedRow | null | undefined> {
  const key = `${environment.value.name} ${id}`;
  const found = known.get(key);
  if (found) return found;
  const made = signal<NamedRow | null | undefined>(undefined);
  known.set(key, made);
  want(id);
  return made;
}

async function read(): Promise<void> {
  const { name, state } = environment.value;
  const ids = [...wanted];
  wanted.clear();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const asked = ids.slice(at, at + AT_ONCE);
    const rows = await state.names(asked).catch(() => []);
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of asked) {
      const about = known.get(`${name} ${id}`);
      if (about) about.value = byId.get(id) ?? null;
    }
  }
}
