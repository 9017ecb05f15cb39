import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';

/** As much of a JSON Schema as the comparison looks at. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  'x-free-json'?: boolean;
}

const ANYTHING = ['object', 'array', 'string', 'number', 'integer', 'boolean'];

/** Types with a JSON form of their own, and which JSON types they may be. */
const WELL_KNOWN: Readonly<Record<string, readonly string[]>> = {
  'google.protobuf.Timestamp': ['string'],
  'google.protobuf.Duration': ['string'],
  'google.protobuf.FieldMask': ['string'],
  'google.protobuf.Struct': ['object'],
  'google.protobuf.Value': ANYTHING,
  'google.protobuf.BoolValue': ['boolean'],
  'google.protobuf.StringValue': ['string'],
  'google.protobuf.Int32Value': ['integer'],
  'google.protobuf.UInt32Value': ['integer'],
};

const WHOLE = ['integer'];
/** 64 bits are a text in the JSON mapping; where the service's own documents show a number, ours do. */
const LONG = ['string', 'integer'];

const SCALARS: Readonly<Partial<Record<ScalarType, readonly string[]>>> = {
  [ScalarType.STRING]: ['string'],
  [ScalarType.BYTES]: ['string'],
  [ScalarType.BOOL]: ['boolean'],
  [ScalarType.DOUBLE]: ['number'],
  [ScalarType.FLOAT]: ['number'],
  [ScalarType.INT32]: WHOLE,
  [ScalarType.UINT32]: WHOLE,
  [ScalarType.INT64]: LONG,
  [ScalarType.UINT64]: LONG,
};

/** A message whose JSON form is not an object of its fields. */
export const isWellKnown = ({ typeName }: DescMessage) => Object.hasOwn(WELL_KNOWN, typeName);

/** The JSON types that one value of the field may have. */
export function jsonTypesOf({
  message,
  enum: words,
  scalar = ScalarType.INT32,
}: DescField): readonly string[] {
  if (message) return WELL_KNOWN[message.typeName] ?? ['object'];
  return words ? ['string'] : (SCALARS[scalar] ?? WHOLE);
}

export function fits(schema: Schema, wanted: readonly string[]): boolean {
  const types = typesOf(schema);
  const isWanted = types.length > 0 && types.every((type) => wanted.includes(type));
  return isWanted || schema['x-free-json'] === true;
}

export const describeType = (schema: Schema) => typesOf(schema).join(' or ') || 'anything';

function typesOf({ type, enum: words, const: only }: Schema): string[] {
  if (type !== undefined) return [type].flat();
  return (words ?? (only === undefined ? [] : [only])).slice(0, 1).map((word) => typeof word);
}

/** The schema of what is there: any optional member of a request may be null, which stands for nothing. */
export function withoutNull<T extends object>(written: T): T {
  const schema = written as Schema & { anyOf?: Schema[] };
  const [one, ...others] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (one && others.length === 0) return one as T;
  if (!Array.isArray(schema.type)) return written;
  const types = schema.type.filter((type) => type !== 'null');
  const words = schema.enum && { enum: schema.enum.filter((word) => word !== null) };
  return { ...written, type: types.length === 1 ? types[0] : types, ...words };
}
