import { useRef } from 'preact/hooks';
import type { Collection } from '@understudy/client/control';
import { Complaint, Empty, Field, Prose } from '../parts/parts.tsx';
import { jsonOf, rowOf, useEditing, type Editing, type Version } from './editing.ts';
import { Undo } from './deletion.tsx';
import { Meanwhile } from './meanwhile.tsx';
import { RowForm } from './row-form.tsx';
import { Form, type RowSchemas } from './row-schema.ts';

interface RowEditorProps {
  collection: Collection;
  /** Empty for a new row. */
  id: string;
  stored: Version;
  schemas: RowSchemas;
  now: number | undefined;
}

/** A form with JSON beside it; both edit the same text. Changes that others make are shown until the user types. */
export function RowEditor(props: RowEditorProps) {
  const { collection, id, schemas, now } = props;
  const editing = useEditing(props);
  const { text, violations, action, save } = editing;
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
      <Meanwhile met={editing.met} choices={editing.choices} />
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
          <Form.Provider value={{ schemas, violations, now }}>
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
      <Save editing={editing} id={id} />
    </form>
  );
}

interface SaveProps {
  editing: Editing;
  id: string;
}

const Save = ({ editing: { action, isDirty, saves, undone, discard }, id }: SaveProps) => (
  <div class="row-save">
    <Complaint of={action.error.value} />
    <div class="actions">
      <button class="main" disabled={action.busy.value}>
        {id === '' ? 'Insert' : 'Save'}
      </button>
      {isDirty && (
        <button type="button" onClick={discard}>
          Discard
        </button>
      )}
      <span class="faint" role="status">
        {isDirty ? 'Not saved yet' : saves > 0 ? 'Saved' : ''}
      </span>
      {id !== '' && !isDirty && <Undo key={saves} row={id} onUndone={undone} />}
    </div>
  </div>
);
