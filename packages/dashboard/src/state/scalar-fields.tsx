import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { plainText } from '@understudy/text/json';
import { Prose } from '../parts/parts.tsx';
import { Form, useComplaints, isSecret, type FieldProps, isRecord, pathOf } from './row-schema.ts';
import { timeInWords } from '../now.ts';

interface LabelledProps extends FieldProps {
  id: string;
  hint?: string | undefined;
  children: ComponentChildren;
}

/** Label, control, description and complaints of one field. */
function Labelled({ id, name, path, schema, isRequired, hint, children }: LabelledProps) {
  const complaints = useComplaints(path);
  return (
    <div class="field">
      <label for={id}>
        {name}
        {isRequired && <span class="required"> (required)</span>}
      </label>
      {children}
      <small id={`${id}-hint`} class="hint">
        <Prose text={[schema.description, hint].filter(Boolean).join(' ')} />
      </small>
      <small id={`${id}-complaint`} class="complaint">
        {complaints.join('; ')}
      </small>
    </div>
  );
}

const described = (id: string, isWrong: boolean) => ({
  id,
  'aria-describedby': `${id}-hint ${id}-complaint`,
  'aria-invalid': isWrong,
});

/** A text, a number or a time. A secret is hidden until it is asked for. */
export function Scalar(props: FieldProps) {
  const { name, path, schema, value, isRequired, onChange } = props;
  const id = useId();
  const { now } = useContext(Form);
  const isShown = useSignal(false);
  const isHidden = isSecret(name, schema) && !isShown.value;
  const isTime = schema.format === 'date-time';
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const typed = (text: string) => {
    if (text === '' && !isRequired) return onChange(undefined);
    // A text that is not a number is sent as it is, and the server says what is allowed.
    return onChange(isNumber && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text);
  };
  return (
    <Labelled {...props} id={id} hint={isTime ? timeInWords(value, now) : undefined}>
      <span class="masked">
        <input
          {...described(id, useComplaints(path).length > 0)}
          type={isHidden ? 'password' : 'text'}
          inputMode={isNumber ? 'decimal' : undefined}
          autocomplete="off"
          spellcheck={false}
          aria-required={isRequired}
          value={plainText(value)}
          onInput={({ currentTarget }) => typed(currentTarget.value)}
        />
        {isSecret(name, schema) && (
          <button
            type="button"
            aria-label={`${isHidden ? 'Show' : 'Hide'} ${name}`}
            onClick={() => (isShown.value = !isShown.value)}
          >
            {isHidden ? 'Show' : 'Hide'}
          </button>
        )}
      </span>
    </Labelled>
  );
}

export function Choice(props: FieldProps) {
  const { path, schema, value, isRequired, onChange } = props;
  const id = useId();
  const known = (schema.enum ?? []).map(plainText);
  const current = plainText(value);
  const all = [...(isRequired && current !== '' ? [] : ['']), ...known];
  return (
    <Labelled {...props} id={id}>
      <select
        {...described(id, useComplaints(path).length > 0)}
        aria-required={isRequired}
        value={current}
        onChange={({ currentTarget: { value: text } }) =>
          onChange(text === '' ? undefined : (schema.enum ?? []).find((each) => plainText(each) === text))
        }
      >
        {(all.includes(current) ? all : [...all, current]).map((each) => (
          <option key={each} value={each}>
            {each || '—'}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export function Switch(props: FieldProps) {
  const { name, path, schema, value, isRequired, onChange } = props;
  const id = useId();
  const complaints = useComplaints(path);
  return (
    <div class="field">
      <label class="switch" for={id}>
        <input
          {...described(id, complaints.length > 0)}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />{' '}
        {name}
        {isRequired && <span class="required"> (required)</span>}
        {value === undefined && <span class="faint"> (not set)</span>}
      </label>
      {!isRequired && value !== undefined && (
        <button
          type="button"
          class="remove"
          aria-label={`Remove ${name}`}
          onClick={() => onChange(undefined)}
        >
          Remove
        </button>
      )}
      <small id={`${id}-hint`} class="hint">
        {schema.description}
      </small>
      <small id={`${id}-complaint`} class="complaint">
        {complaints.join('; ')}
      </small>
    </div>
  );
}

/** JSON of any shape. Text that is not JSON yet stays here. */
export function FreeJson(props: FieldProps) {
  const { path, value, isRequired, onChange } = props;
  const id = useId();
  const unfinished = useSignal<string | undefined>(undefined);
  const mistake = useSignal('');
  const typed = (text: string) => {
    unfinished.value = text;
    if (text.trim() === '' && !isRequired) return onChange(undefined);
    try {
      onChange(JSON.parse(text));
      mistake.value = '';
    } catch (thrown) {
      mistake.value = `Not valid JSON: ${(thrown as Error).message}`;
    }
  };
  const written = value === undefined ? '' : JSON.stringify(value, null, 2);
  return (
    <Labelled {...props} id={id} hint={`JSON. ${mistake.value}`}>
      <textarea
        {...described(id, mistake.value !== '' || useComplaints(path).length > 0)}
        rows={4}
        spellcheck={false}
        value={unfinished.value ?? written}
        onInput={({ currentTarget }) => typed(currentTarget.value)}
        onBlur={() => mistake.value === '' && (unfinished.value = undefined)}
      />
    </Labelled>
  );
}

/** Texts by names that the schema does not fix, such as `metadata`. */
export function TextMap({ name, path, schema, value, isRequired, onChange }: FieldProps) {
  const pairs = Object.entries(isRecord(value) ? value : {});
  const set = (next: [string, unknown][]) =>
    onChange(next.length === 0 && !isRequired ? undefined : Object.fromEntries(next));
  const complaints = [useComplaints(path), ...pairs.map(([key]) => useComplaints(pathOf(path, key)))].flat();
  return (
    <fieldset class="group">
      <legend>
        {name}
        {isRequired && <span class="required"> (required)</span>}
        {schema.description && <small class="hint">{schema.description}</small>}
      </legend>
      {complaints.map((text) => (
        <small key={text} class="complaint">
          {text}
        </small>
      ))}
      {pairs.map(([key, text], index) => (
        // The name changes while the user types it.
        // oxlint-disable-next-line react/no-array-index-key
        <div class="pair" key={index}>
          <input
            aria-label={`Name ${index + 1} in ${name}`}
            value={key}
            onChange={({ currentTarget }) => set(pairs.with(index, [currentTarget.value, text]))}
          />
          <input
            aria-label={`${key} in ${name}`}
            value={typeof text === 'string' ? text : JSON.stringify(text)}
            onInput={({ currentTarget }) => set(pairs.with(index, [key, currentTarget.value]))}
          />
          <button
            type="button"
            aria-label={`Remove ${key} from ${name}`}
            onClick={() => set(pairs.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => set([...pairs, [`name_${pairs.length + 1}`, '']])}>
        Add to {name}
      </button>
    </fieldset>
  );
}
