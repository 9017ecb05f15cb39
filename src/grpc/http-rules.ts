import type { DescMethod, Message, UnknownField } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** How one RPC is called over HTTP. */
export interface HttpRule {
  verb: string;
  path: string;
  /** `*`: the whole request is the body but what the path names; empty: there is none; else the field that is. */
  body: string;
}

/** Number of google.api's extension of methods. */
const HTTP_RULE = 72_295_728;
const VERBS: Readonly<Record<number, string>> = { 2: 'GET', 3: 'PUT', 4: 'POST', 5: 'DELETE', 6: 'PATCH' };
const BODY = 7;
const ADDITIONAL_BINDINGS = 11;

/** The rules of a method, its first one first. The descriptors know no type of the extension: it is read here. */
export const httpRules = ({ proto: { options } }: DescMethod): HttpRule[] =>
  extensionsOf(options, HTTP_RULE).flatMap(({ wireType, data }) =>
    readRule(wireType === WireType.LengthDelimited ? new BinaryReader(data).bytes() : data),
  );

const extensionsOf = (options: Message | undefined, no: number): UnknownField[] =>
  (options?.$unknown ?? []).filter((extension) => extension.no === no);

/** A google.api.HttpRule and, behind it, its additional bindings. */
function readRule(data: Uint8Array): HttpRule[] {
  const reader = new BinaryReader(data);
  const rule: HttpRule = { verb: '', path: '', body: '' };
  const further: HttpRule[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const verb = VERBS[field];
    if (verb) Object.assign(rule, { verb, path: reader.string() });
    else if (field === BODY) rule.body = reader.string();
    else if (field === ADDITIONAL_BINDINGS) further.push(...readRule(reader.bytes()));
    else reader.skip(wireType);
  }
  return [rule, ...further];
}
