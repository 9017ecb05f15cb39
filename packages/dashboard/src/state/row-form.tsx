import { useContext } from 'preact/hooks';
import { Prose } from '../parts/parts.tsx';
import { Choice, FreeJson, Scalar, Switch, TextMap } from './scalar-fields.tsx';
import {
  Form,
  isRecord,
  pathOf,
  useComplaints,
  valueFor,
  type FieldProps,
  type Schema,
} from './row-schema.ts';

interface RowFormProps {
  schema: Schema;
  row: Record<string, unknown>;
  isNew: boolean;
  onChange: (row: Record<string, unknown>) => void;
}

/** A row as fields, in the order of its schema, except that the times which the service sets come last. */
export function RowForm({ schema, row, isNew, onChange }: RowFormProps) {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).toSorted(([a], [b]) => +SET.has(a) - +SET.has(b)),
  );
  return (
    <Members
      schema={{ ...schema, properties }}
      value={row}
      path=""
      fixed={isNew ? [] : ['id']}
      onChange={onChange}
    />
  );
}

const SET = new Set(['create_time', 'update_time', 'created_at', 'updated_at']);

interface MembersProps {
  schema: Schema;
  value: Record<string, unknown>;
  path: string;
  /** Members that cannot be changed. */
  fixed?: readonly string[];
  onChange: (value: Record<string, unknown>) => void;
}

function Members({ schema, value, path, fixed = [], onChange }: MembersProps) {
  const { properties = {}, required = [] } = schema;
  const set = (name: string) => (member: unknown) => {
    const { [name]: _, ...rest } = value;
    if (member === undefined) onChange(rest);
    else onChange(name in value ? { ...value, [name]: member } : { ...rest, [name]: member });
  };
  return (
    <>
      {Object.entries(properties)
        .filter(([name]) => !fixed.includes(name))
        .map(([name, member]) => (
          <Member
            key={name}
            name={name}
            path={pathOf(path, name)}
            schema={member}
            value={value[name]}
            isRequired={required.includes(name)}
            onChange={set(name)}
          />
        ))}
    </>
  );
}

/** The field that suits the schema; JSON for what has no simpler one. */
function Member(props: FieldProps) {
  const { schemas } = useContext(Form);
  const schema = schemas.resolve(props.schema);
  const known = { ...props, schema };
  if (schema.enum) return <Choice {...known} />;
  if (schema.type === 'boolean') return <Switch {...known} />;
  if (
    schema.type === 'string' ||
    schema.type === 'integer' ||
    schema.type === 'number' ||
    schema.const !== undefined
  )
    return <Scalar {...known} />;
  if (schema.type === 'object' && schema.properties) return <Group {...known} />;
  if (schema.type === 'array' && schema.items) return <List {...known} items={schema.items} />;
  if (schema.type === 'object' && isText(schema.additionalProperties)) return <TextMap {...known} />;
  return <FreeJson {...known} />;
}

const isText = (schema: Schema['additionalProperties']) =>
  typeof schema === 'object' && schema.type === 'string';

const Legend = ({ name, isRequired, schema }: FieldProps) => (
  <legend>
    {name}
    {isRequired && <span class="required"> (required)</span>}
    {schema.description && (
      <small class="hint">
        <Prose text={schema.description} />
      </small>
    )}
  </legend>
);

function Group(props: FieldProps) {
  const { name, path, schema, value, isRequired, isElement, onChange } = props;
  return (
    <fieldset class="group">
      <Legend {...props} />
      <Complaints path={path} />
      {value === undefined ? (
        <button type="button" onClick={() => onChange({})}>
          Add {name}
        </button>
      ) : (
        <>
          <Members schema={schema} value={isRecord(value) ? value : {}} path={path} onChange={onChange} />
          {!isRequired && !isElement && <Remove what={name} onClick={() => onChange(undefined)} />}
        </>
      )}
    </fieldset>
  );
}

function List(props: FieldProps & { items: Schema }) {
  const { name, path, items, value, isRequired, onChange } = props;
  const { schemas } = useContext(Form);
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const without = (index: number) => {
    const left = all.toSpliced(index, 1);
    onChange(left.length === 0 && !isRequired ? undefined : left);
  };
  return (
    <fieldset class="group">
      <Legend {...props} />
      <Complaints path={path} />
      {all.map((each, index) => (
        // An element has no name, only an index.
        // oxlint-disable-next-line react/no-array-index-key
        <div class="element" key={index}>
          <Member
            name={`${name} ${index + 1}`}
            path={pathOf(path, index)}
            schema={items}
            value={each}
            isRequired={false}
            isElement
            onChange={(element) => onChange(all.with(index, element ?? ''))}
          />
          <Remove what={`${name} ${index + 1}`} onClick={() => without(index)} />
        </div>
      ))}
      <button type="button" onClick={() => onChange([...all, valueFor(schemas.resolve(items))])}>
        Add to {name}
      </button>
    </fieldset>
  );
}

const Remove = ({ what, onClick }: { what: string; onClick: () => void }) => (
  <button type="button" class="remove" aria-label={`Remove ${what}`} onClick={onClick}>
    Remove
  </button>
);

function Complaints({ path }: { path: string }) {
  return (
    <>
      {useComplaints(path).map((text) => (
        <small key={text} class="complaint">
          {text}
        </small>
      ))}
    </>
  );
}
