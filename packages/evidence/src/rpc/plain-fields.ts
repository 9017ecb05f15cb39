import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** A message whose type is unknown: its fields by their numbers. */
interface PlainMessage {
  '@fields': PlainField[];
}

type PlainField = { no: number } & (
  | { int: string }
  | { fixed32: number }
  | { fixed64: string }
  | { text: string }
  | { message: PlainField[] }
  | { bytes: string }
);

const DEEPEST = 20;

/** Throws for what is not a message. */
export const readPlain = (bytes: Uint8Array): PlainMessage => ({ '@fields': fieldsOf(bytes, 0) });

function fieldsOf(bytes: Uint8Array, depth: number): PlainField[] {
  if (depth > DEEPEST) throw new RangeError('the message is nested too deeply');
  const reader = new BinaryReader(bytes);
  const fields: PlainField[] = [];
  while (reader.pos < reader.len) {
    const [no, type] = reader.tag();
    fields.push({ no, ...valueOf(reader, type, depth) } as PlainField);
  }
  return fields;
}

function valueOf(reader: BinaryReader, type: WireType, depth: number): object {
  if (type === WireType.Varint) return { int: String(reader.uint64()) };
  if (type === WireType.Bit32) return { fixed32: reader.fixed32() };
  if (type === WireType.Bit64) return { fixed64: String(reader.fixed64()) };
  if (type !== WireType.LengthDelimited) throw new RangeError(`the wire type ${type} is unknown`);
  return meaningOf(reader.bytes(), depth);
}

/** Texts, messages and bytes look the same: what can be a text is one. */
function meaningOf(bytes: Uint8Array, depth: number): object {
  const text = Buffer.from(bytes).toString();
  const isText = Buffer.from(text).equals(bytes) && !/[^\P{C}\n\r\t]/u.test(text);
  if (isText) return { text };
  try {
    return { message: fieldsOf(bytes, depth + 1) };
  } catch {
    return { bytes: Buffer.from(bytes).toString('base64') };
  }
}
