// Compiles openapi/proto, the RPCs that the official Node SDK does not describe, into one FileDescriptorSet.
import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorSetSchema,
  file_google_protobuf_duration as duration,
  file_google_protobuf_empty as empty,
  file_google_protobuf_struct as struct,
  file_google_protobuf_timestamp as timestamp,
  file_google_protobuf_wrappers as wrappers,
} from '@bufbuild/protobuf/wkt';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';

const require = createRequire(import.meta.url);

/** Types that all our files may import. */
const WELL_KNOWN = [empty, duration, struct, timestamp, wrappers].map(({ proto }) => proto);

/** The binary FileDescriptorSet of all .proto files in `folder`. */
export function compileProto(folder) {
  const root = new protobuf.Root();
  root.resolvePath = (_, path) =>
    path.startsWith('google/') ? require.resolve(`protobufjs/${path}`) : join(folder, path);
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.proto'));
  root.loadSync(files, { keepCase: true });
  root.resolveAll();
  const set = root.toDescriptor('proto3');
  // The files of Google are replaced by their published descriptors.
  set.file = set.file.filter((file) => file.package !== 'google.protobuf');
  for (const file of set.file) qualify(file, root.lookup(file.package));
  const parsed = fromBinary(FileDescriptorSetSchema, descriptor.FileDescriptorSet.encode(set).finish());
  return toBinary(FileDescriptorSetSchema, { ...parsed, file: completed(parsed.file) });
}

/** protobufjs leaves out imports. The well-known types and the error details come first, and all other files import them. */
function completed(own) {
  const isCommon = (file) => file.package.endsWith('.errdetails');
  const common = [...WELL_KNOWN, ...own.filter(isCommon)];
  const others = own.filter((file) => !isCommon(file));
  for (const file of others) file.dependency = common.map(({ name }) => name);
  for (const file of own) for (const message of file.messageType) completeFields(message);
  return [...common, ...others];
}

/** protobufjs also leaves out JSON names that are the same as the name. */
function completeFields({ field, nestedType }) {
  for (const each of field) each.jsonName ||= each.name;
  for (const nested of nestedType) completeFields(nested);
}

/** protobufjs writes relative type names, but descriptors need full names. */
function qualify({ messageType, service = [] }, scope) {
  for (const message of messageType) qualifyMessage(message, scope.get(message.name));
  for (const { name, method } of service) {
    const { methods } = scope.get(name);
    for (const each of method) {
      each.inputType = methods[each.name].resolvedRequestType.fullName;
      each.outputType = methods[each.name].resolvedResponseType.fullName;
    }
  }
}

function qualifyMessage({ field, nestedType = [] }, type) {
  for (const each of field) {
    const { map, resolvedType } = type.fields[each.name];
    if (map) qualifyMapEntry(each, { type, resolvedType, nestedType });
    else if (resolvedType) each.typeName = resolvedType.fullName;
  }
  for (const nested of nestedType)
    if (!nested.options?.mapEntry) qualifyMessage(nested, type.get(nested.name));
}

function qualifyMapEntry(field, { type, resolvedType, nestedType }) {
  const entry = nestedType.find(({ name }) => field.typeName.endsWith(name));
  field.typeName = `${type.fullName}.${entry.name}`;
  if (resolvedType) entry.field.find(({ name }) => name === 'value').typeName = resolvedType.fullName;
}
