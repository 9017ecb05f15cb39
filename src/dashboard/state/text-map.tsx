import { isRecord, pathOf, useComplaints, type FieldProps } from './row-schema.ts';

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
