import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ControlError, type Collection, type FieldViolation } from '../../client/control.ts';
import { useAction, type Action } from '../data.ts';
import { Complaint, Empty, Field, Prose } from '../parts/parts.tsx';
import { go, href } from '../route.ts';
import { environment } from '../session.ts';
import { plainText } from '../../text/json.ts';
import { Form, isRecord, type RowSchemas } from './row-schema.ts';
import { RowForm } from './row-form.tsx';
import { withUndo } from './deletion.tsx';

type Row = Record<string, unknown>;

interface RowEditorProps {
  collection: Collection;
  /** Empty for a new row. */
  id: string;
  row: Row;
  schemas: RowSchemas;
  now: number | undefined;
}

const jsonOf = (row: Row) => JSON.stringify(row, null, 2);

/** The text that is typed, the row that is stored, and the errors of the server. */
function useRowText({ collection, id, row }: RowEditorProps) {
  const written = jsonOf(row);
  const text = useSignal(written);
  const stored = useSignal(written);
  const violations = useSignal<readonly FieldViolation[]>([]);
  const action = useAction();
  useEffect(() => {
    if (text.value === stored.value) text.value = written;
    stored.value = written;
  }, [written]);
  const save = async () => {
    violations.value = [];
    try {
      await store(collection, id, text.value);
      stored.value = text.value;
    } catch (thrown) {
      if (thrown instanceof ControlError) violations.value = thrown.violations;
      throw thrown;
    }
  };
  return { text, stored, violations, action, save };
}

/** A form with JSON beside it; both edit the same text. Changes that others make are shown until the user types. */
export function RowEditor(props: RowEditorProps) {
  const { collection, id, schemas, now } = props;
  const { text, stored, violations, action, save } = useRowText(props);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await action.run(save)) return;
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const parsed = rowOf(text.value);
  const schema = schemas.of(collection);
  return (
    <form ref={form} class="row-editor" noValidate onSubmit={(event) => void submit(event)}>
      <section class="card row-form">
        <h2>Form</h2>
        {schema?.description && (
          <p class="faint">
            <Prose text={schema.description} />
          </p>
        )}
        {typeof parsed === 'string' || !schema ? (
          <Empty>{typeof parsed === 'string' ? parsed : 'This collection has no schema.'}</Empty>
        ) : (
          <Form.Provider value={{ schemas, violations: violations.value, now }}>
            <RowForm
              schema={schema}
              row={parsed}
              isNew={id === ''}
              onChange={(changed) => (text.value = jsonOf(changed))}
            />
          </Form.Provider>
        )}
      </section>
      <section class="card row-json">
        <h2>JSON</h2>
        <Field label="JSON" rows={22} value={text.value} onInput={(value) => (text.value = value)} />
      </section>
      <Save action={action} isNew={id === ''} text={text} stored={stored.value} />
    </form>
  );
}

interface SaveProps {
  action: Action;
  isNew: boolean;
  text: Signal<string>;
  stored: string;
}

const Save = ({ action, isNew, text, stored }: SaveProps) => (
  <div class="row-save">
    <Complaint of={action.error.value} />
    <div class="actions">
      <button class="main" disabled={action.busy.value}>
        {isNew ? 'Insert' : 'Save'}
      </button>
      {text.value !== stored && (
        <button type="button" onClick={() => (text.value = stored)}>
          Discard
        </button>
      )}
      <span class="faint" role="status">
        {text.value === stored ? '' : 'Not saved yet'}
      </span>
    </div>
  </div>
);

/** The row, or the reason why the text is not a row. */
function rowOf(text: string): Row | string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : 'The JSON is not an object. The form comes back when it is.';
  } catch (thrown) {
    return `The form comes back when the JSON is valid: ${(thrown as Error).message}`;
  }
}

async function store(collection: Collection, id: string, text: string): Promise<void> {
  const wanted = JSON.parse(text) as Row;
  const to = id === '' ? plainText(wanted['id']) : id;
  if (to === '') throw new Error('id: a new row needs an id');
  const { state } = environment.value;
  if (id === '') await refuseExisting(collection, to);
  await withUndo(`${id === '' ? 'insert' : 'change'}-${to}`, () => state.put(collection, to, wanted));
  if (id === '') go(href('row', collection, to));
}

/** A new row never replaces one. */
async function refuseExisting(collection: Collection, id: string): Promise<void> {
  const known = await environment.value.state.get(collection, id).catch((thrown: unknown) => {
    if (thrown instanceof ControlError && thrown.status === 404) return undefined;
    throw thrown;
  });
  if (known) throw new Error(`id: ${collection} has a row ${id} already`);
}
