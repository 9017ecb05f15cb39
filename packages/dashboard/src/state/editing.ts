import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ControlError, type Collection, type FieldViolation } from '@understudy/client/control';
import { plainText } from '@understudy/text/json';
import { useAction, type Action } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { go, href } from '../route.ts';
import { environment } from '../session.ts';
import { changed, changesBetween, meetings, patchOf, type Meeting } from './merge.ts';
import { isRecord } from './row-schema.ts';

type Row = Record<string, unknown>;

/** A row as it was read. */
export interface Version {
  row: Row;
  /** Undefined for a new row. */
  version: string | undefined;
}

export const jsonOf = (row: Row) => JSON.stringify(row, null, 2);

/** The row, or the reason why the text is not a row. */
export function rowOf(text: string): Row | string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : 'The JSON is not an object. The form comes back when it is.';
  } catch (thrown) {
    return `The form comes back when the JSON is valid: ${(thrown as Error).message}`;
  }
}

/** What somebody chose for a member that others have changed, too. */
type Choices = Readonly<Record<string, 'mine' | 'theirs'>>;

export interface Editing {
  /** What is typed. */
  text: Signal<string>;
  isDirty: boolean;
  /** What others have changed since the reader began to type. */
  met: readonly Meeting[];
  choices: Signal<Choices>;
  violations: readonly FieldViolation[];
  action: Action;
  save: () => Promise<void>;
  discard: () => void;
  /** How often the row was saved here; 0 again after an undo. */
  saves: number;
  undone: () => void;
}

/** How often a save tries again while others change other members. */
const MOST_TRIES = 5;

interface Draft {
  text: string;
  read: Version;
}

interface EditingProps {
  collection: Collection;
  /** Empty for a new row. */
  id: string;
  /** The row as it is stored. */
  stored: Version;
}

/** The text that is typed. It stays while other pages are shown; until the reader types, it follows the row. */
function useText({ collection, id, stored: given }: EditingProps) {
  const draft = useDraft<Draft | undefined>(`row/${collection}/${id}`, undefined);
  const read = useSignal(draft.peek()?.read ?? given);
  const stored = useSignal(given);
  const text = useSignal(draft.peek()?.text ?? jsonOf(given.row));
  const choices = useSignal<Choices>({});
  const isDirty = text.value !== jsonOf(read.value.row);
  const begin = (version: Version) => {
    text.value = jsonOf(version.row);
    read.value = stored.value = version;
    choices.value = {};
  };
  useEffect(() => {
    if (!isDirty) return begin(given);
    if (given.version !== stored.peek().version) choices.value = {};
    stored.value = given;
    // Each read counts: a row that was saved and put back is the same as the last one that was read.
  }, [given]);
  useEffect(() => {
    draft.value = isDirty ? { text: text.value, read: read.value } : undefined;
  }, [text.value, read.value]);
  return { read, stored, text, choices, isDirty, begin };
}

/** The text that is typed, and what others do to the row meanwhile. */
export function useEditing(props: EditingProps): Editing {
  const { collection, id, stored: given } = props;
  const { read, stored, text, choices, isDirty, begin } = useText(props);
  const violations = useSignal<readonly FieldViolation[]>([]);
  const saves = useSignal(0);
  const action = useAction();

  const isBehind = isDirty && stored.value.version !== read.value.version;
  const met = isBehind ? metIn(text.value, read.value, stored.value) : [];

  const save = async () => {
    violations.value = [];
    const wanted = JSON.parse(text.value) as Row;
    const note = (newer: Version) => {
      stored.value = newer;
      choices.value = {};
    };
    const from = { read: read.value, choices: choices.value };
    try {
      if (id === '') {
        await insert(collection, wanted);
        begin(given);
      } else {
        begin(await merge({ collection, id, wanted, ...from }, stored.value, note));
        saves.value += 1;
      }
    } catch (thrown) {
      if (thrown instanceof ControlError) violations.value = thrown.violations;
      throw thrown;
    }
  };
  const discard = () => begin(stored.value);
  const undone = () => (saves.value = 0);
  const shown = { violations: violations.value, saves: saves.value };
  return { text, isDirty, met, choices, action, save, discard, undone, ...shown };
}

function metIn(text: string, read: Version, stored: Version): Meeting[] {
  const written = rowOf(text);
  return typeof written === 'string' ? [] : meetings(read.row, stored.row, written);
}

/** Saves what the reader has changed. `note` hears of each newer row; the reader has made no choice for that one. */
async function merge(
  wanted: WantedChange,
  stored: Version,
  note: (newer: Version) => void,
  tries = 1,
): Promise<Version> {
  const undecided = undecidedOf(meetings(wanted.read.row, stored.row, wanted.wanted), wanted.choices);
  if (undecided.length > 0)
    throw new Error(`Nothing is saved yet. Choose a value for ${undecided.join(', ')}.`);
  try {
    return await change(wanted, stored);
  } catch (thrown) {
    const newer = newerVersion(thrown);
    if (!newer || tries >= MOST_TRIES) throw thrown;
    note(newer);
    return merge({ ...wanted, choices: {} }, newer, note, tries + 1);
  }
}

const undecidedOf = (met: readonly Meeting[], choices: Choices): string[] =>
  met.filter(({ isConflict, name }) => isConflict && !(name in choices)).map(({ name }) => name);

/** The row as it is stored, if the server refused a change because the row is another one by now. */
function newerVersion(thrown: unknown): Version | undefined {
  if (!(thrown instanceof ControlError) || thrown.status !== 412) return undefined;
  const { row, version } = thrown.body as { row?: Row; version?: string };
  return row && { row, version };
}

interface WantedChange {
  collection: Collection;
  id: string;
  wanted: Row;
  read: Version;
  choices: Choices;
}

/** Sends the changed members alone, with the version that the reader has seen. Resolves to the stored row. */
async function change(
  { collection, id, wanted, read, choices }: WantedChange,
  stored: Version,
): Promise<Version> {
  const { state } = environment.value;
  const given = meetings(read.row, stored.row, wanted).filter(
    ({ name, isConflict }) => isConflict && choices[name] === 'theirs',
  );
  const mine = changed(
    wanted,
    given.map(({ path, theirs }) => ({ path, value: theirs })),
  );
  const target = changed(stored.row, changesBetween(read.row, mine));
  const edit = { undo: true, ...(stored.version !== undefined && { version: stored.version }) };
  const patch = patchOf(changesBetween(stored.row, target));
  await (patch ? state.patch(collection, id, patch, edit) : state.put(collection, id, target, edit));
  return state.read(collection, id) as Promise<Version>;
}

async function insert(collection: Collection, row: Row): Promise<void> {
  const id = plainText(row['id']);
  if (id === '') throw new Error('id: a new row needs an id');
  await refuseExisting(collection, id);
  await environment.value.state.put(collection, id, row, { undo: true });
  go(href('row', collection, id));
}

/** A new row never replaces one. */
async function refuseExisting(collection: Collection, id: string): Promise<void> {
  const known = await environment.value.state.get(collection, id).catch((thrown: unknown) => {
    if (thrown instanceof ControlError && thrown.status === 404) return undefined;
    throw thrown;
  });
  if (known) throw new Error(`id: ${collection} has a row ${id} already`);
}
