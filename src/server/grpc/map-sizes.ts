import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MAX_DEPTH, MAX_MEMBERS, tooManyMembers } from '../../contract/body.ts';

/**
 * Throws for a map, or a Struct, with more entries than an object may have, because decoding it takes far longer than counting.
 * Those in lists and in other maps are counted after decoding.
 */
export function refuseLargeMaps(bytes: Uint8Array, { fields }: DescMessage, levels = MAX_DEPTH): void {
  const reader = new BinaryReader(bytes);
  const entries = new Map<number, number>();
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const field = fields.find(({ number }) => number === no);
    if (!field || wireType !== WireType.LengthDelimited) {
      reader.skip(wireType, no);
      continue;
    }
    const content = reader.bytes();
    if (field.fieldKind === 'message' && levels > 0) refuseLargeMaps(content, field.message, levels - 1);
    if (field.fieldKind !== 'map') continue;
    const count = (entries.get(no) ?? 0) + 1;
    if (count > MAX_MEMBERS) throw tooManyMembers();
    entries.set(no, count);
  }
}
