import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldViolation } from '@understudy/client/control';
import { control } from '../session.ts';

/** What the form reads of a JSON Schema. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  'x-secret'?: boolean;
  'x-wanted'?: string;
}

type Schemas = Readonly<Record<string, Schema>>;

/** The schemas of stored rows, from the document of the control API. */
export class RowSchemas {
  readonly #schemas: Schemas;

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** Undefined for an unknown collection. */
  of(collection: string): Schema | undefined {
    const rows = this.#schemas['State']?.properties?.[collection]?.items;
    return rows && this.resolve(rows);
  }

  /** Follows `$ref`; keywords beside it take precedence. */
  resolve({ $ref, ...schema }: Schema): Schema {
    if ($ref === undefined) return schema;
    return { ...this.resolve(this.#schemas[$ref.split('/').at(-1)!] ?? {}), ...schema };
  }

  /** The collection of each id prefix. */
  collectionsByPrefix(): ReadonlyMap<string, string> {
    const names = Object.keys(this.#schemas['State']?.properties ?? {});
    const pairs = names.map((name) => [this.prefixOf(name), name] as const);
    return new Map(pairs.filter((pair): pair is [string, string] => pair[0] !== undefined).toReversed());
  }

  /** Such as `org` for organizations; undefined if ids have no fixed prefix. */
  prefixOf(collection: string): string | undefined {
    const id = this.of(collection)?.properties?.['id'];
    return id && /^\^\(?([a-z0-9]+)[|)_]/.exec(this.resolve(id).pattern ?? '')?.[1];
  }
}

/** The collection of the row that the value names, if it names one. */
export function collectionOf(value: unknown, prefixes: ReadonlyMap<string, string>): string | undefined {
  const prefix = typeof value === 'string' ? prefixOf(value) : undefined;
  return prefix === undefined ? undefined : prefixes.get(prefix);
}

const prefixOf = (id: string) => /^(?:[a-z0-9-]+\.)?([a-z0-9]+)_[0-9]+$/.exec(id)?.[1];

let loading: Promise<RowSchemas> | undefined;

/** Loads the schemas once for this tab. */
export function loadRowSchemas(): Promise<RowSchemas> {
  loading ??= control()
    .document()
    .then(({ components }) => new RowSchemas((components as { schemas: Schemas }).schemas));
  loading.catch(() => (loading = undefined));
  return loading;
}

/** A new row: the members that need no decision, and the number after the highest id of `rows`. */
export function newRow(
  schemas: RowSchemas,
  collection: string,
  rows: readonly { id: string }[],
): Record<string, unknown> {
  const { properties = {}, required = [] } = schemas.of(collection) ?? {};
  const rest = required
    .filter((name) => name !== 'id')
    .map((name) => [name, valueFor(schemas.resolve(properties[name] ?? {}))]);
  return { id: nextId(schemas.prefixOf(collection), rows), ...Object.fromEntries(rest) };
}

function nextId(prefix: string | undefined, rows: readonly { id: string }[]): string {
  if (prefix === undefined) return '';
  const numbers = rows.flatMap(({ id }) => /_([0-9]+)$/.exec(id)?.[1] ?? []).map(BigInt);
  const highest = numbers.reduce((a, b) => (a > b ? a : b), 10_000_000_000_000_000n);
  return `${prefix}_${highest + 1n}`;
}

/** An initial value; the server says what is allowed. */
export function valueFor(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.format === 'date-time') return 'now';
  if (schema.type === 'boolean') return false;
  if (schema.type === 'array') return [];
  return schema.type === 'object' ? {} : '';
}

const SECRET = /(^|_)(token|secret|password|passphrase|cookie|code|api_?key|private_?key)$/;

export const isSecret = (name: string, schema: Schema): boolean => schema['x-secret'] ?? SECRET.test(name);

/** What every field of a row's form knows. */
interface FormContext {
  schemas: RowSchemas;
  violations: readonly FieldViolation[];
  /** The time of the environment in milliseconds; undefined until it is known. */
  now: number | undefined;
}

export const Form = createContext<FormContext>({
  schemas: new RowSchemas({}),
  violations: [],
  now: undefined,
});

export interface FieldProps {
  /** The member's name, or the place in a list. */
  name: string;
  /** As the server writes it: `settings.features[0].name`. */
  path: string;
  schema: Schema;
  value: unknown;
  isRequired: boolean;
  /** An element of a list, which the list removes. */
  isElement?: boolean;
  /** `undefined` removes the member. */
  onChange: (value: unknown) => void;
}

/** The errors of this field alone. */
export const useComplaints = (path: string): string[] =>
  useContext(Form)
    .violations.filter(({ field }) => field === path)
    .map(({ description }) => description);

export const pathOf = (parent: string, step: string | number): string =>
  typeof step === 'number' ? `${parent}[${step}]` : parent === '' ? step : `${parent}.${step}`;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
