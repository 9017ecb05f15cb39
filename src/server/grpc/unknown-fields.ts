import { isMessage, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import type { UnknownField } from '../../contract/types.ts';

/** The most that are told of one call. */
const MOST = 100;

const NONE: readonly UnknownField[] = [];

/** The fields of a message that only its sender's descriptors know, each once. They are dropped. */
export function unknownFields(message: Message, type: DescMessage): readonly UnknownField[] {
  const found = new Map<string, UnknownField>();
  collect(message, type, '', found);
  return found.size === 0 ? NONE : [...found.values()];
}

function collect(message: Message, type: DescMessage, path: string, found: Map<string, UnknownField>): void {
  for (const { no } of message.$unknown ?? []) {
    if (found.size >= MOST) return;
    const field = `${path}${no} (field ${no} of ${type.typeName})`;
    if (!found.has(field)) found.set(field, { field, name: String(no), known: () => [] });
  }
  for (const field of nestedIn(type))
    for (const inner of messagesOf(message, field)) {
      if (found.size >= MOST) return;
      collect(inner, field.message!, `${path}${field.name}.`, found);
    }
}

const NESTED = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields that hold messages, alone, in a list or in a map. Those of Google have no versions. */
function nestedIn(type: DescMessage): readonly DescField[] {
  const known = NESTED.get(type);
  if (known) return known;
  const nested = type.fields.filter(
    ({ message }) => message && !message.typeName.startsWith('google.protobuf.'),
  );
  NESTED.set(type, nested);
  return nested;
}

function messagesOf(message: Message, { oneof, localName }: DescField): readonly Message[] {
  const holder = message as unknown as Readonly<Record<string, unknown>>;
  const chosen = oneof && (holder[oneof.localName] as { case?: string; value?: unknown });
  const value = chosen ? (chosen.case === localName ? chosen.value : undefined) : holder[localName];
  if (typeof value !== 'object' || value === null) return [];
  return isMessage(value) ? [value] : Object.values(value).filter((each) => isMessage(each));
}
