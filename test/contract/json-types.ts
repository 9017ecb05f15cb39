import { ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';

/** The parts of a JSON Schema that the comparison uses. */
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

/** Well-known types and the JSON types of their values. */
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
/** The JSON mapping writes 64-bit integers as strings; where the service documents a number, so do we. */
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

/** Whether the JSON form of the message is not an object of its fields. */
export const isWellKnown = ({ typeName }: DescMessage) => Object.hasOwn(WELL_KNOWN, typeName);

/** The JSON types that a single value of the field can have. */
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

/** The schema without null: any optional member of a request can be null, which means unset. */
export function withoutNull<T extends object>(written: T): T {
  const schema = written as Schema & { anyOf?: Schema[] };
  const [one, ...others] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (one && others.length === 0) return one as T;
  if (!Array.isArray(schema.type)) return written;
  const types = schema.type.filter((type) => type !== 'null');
  const words = schema.enum && { enum: schema.enum.filter((word) => word !== null) };
  return { ...written, type: types.length === 1 ? types[0] : types, ...words };
}
