// Joins the descriptors of the official SDK for Node and those of openapi/proto, which has what that SDK does not
// describe: services, and further RPCs and fields of its services and messages. An empty message there stands for the
// SDK's.
import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { clone, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_duration as duration,
  file_google_protobuf_empty as empty,
  file_google_protobuf_field_mask as fieldMask,
  file_google_protobuf_struct as struct,
  file_google_protobuf_timestamp as timestamp,
  file_google_protobuf_wrappers as wrappers,
} from '@bufbuild/protobuf/wkt';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { sdkFiles } from './sdk-descriptors.mjs';

const require = createRequire(import.meta.url);

/** Types that all our files may import. */
const WELL_KNOWN = [empty, duration, fieldMask, struct, timestamp, wrappers].map(({ proto }) => proto);

/** The binary FileDescriptorSet of every RPC that is served. */
export async function compileProto(folder) {
  const sdk = (await sdkFiles()).filter(({ name }) => OF_THE_SERVICE.test(name)).map(withoutOptions);
  const all = [...WELL_KNOWN, ...sdk];
  const names = all.map(({ name }) => name);
  for (const file of compiled(folder)) {
    const same = sdk.filter((each) => each.package === file.package);
    if (same.length > 0) extend(same, file);
    else all.push({ ...file, dependency: names });
  }
  return toBinary(FileDescriptorSetSchema, { ...EMPTY_SET, file: all });
}

const OF_THE_SERVICE = /^scalekit\/v1\/(?!options\/)/;
const EMPTY_SET = fromBinary(FileDescriptorSetSchema, new Uint8Array());

/** The descriptors of all .proto files in `folder`, without imports, which protobufjs leaves out. */
function compiled(folder) {
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
  const { file: own } = fromBinary(
    FileDescriptorSetSchema,
    descriptor.FileDescriptorSet.encode(set).finish(),
  );
  for (const file of own) for (const message of file.messageType) completeFields(message);
  return own;
}

/** The SDK's options (documentation, rules, bindings) are long, and nothing reads them. */
function withoutOptions(file) {
  const bare = clone(FileDescriptorProtoSchema, file);
  const isKept = (name) => OF_THE_SERVICE.test(name) || WELL_KNOWN.some((each) => each.name === name);
  bare.dependency = bare.dependency.filter(isKept);
  bare.options = undefined;
  bare.messageType.forEach(stripMessage);
  bare.enumType.forEach(stripEnum);
  for (const service of bare.service) {
    service.options = undefined;
    for (const method of service.method) method.options = undefined;
  }
  return bare;
}

function stripMessage(message) {
  if (message.options && !message.options.mapEntry) message.options = undefined;
  for (const each of [...message.field, ...message.oneofDecl]) each.options = undefined;
  message.nestedType.forEach(stripMessage);
  message.enumType.forEach(stripEnum);
}

function stripEnum(each) {
  each.options = undefined;
  for (const value of each.value) value.options = undefined;
}

/** Adds what `own` has to the SDK's `files` of the same package. A later version of the SDK may have it. */
function extend(files, { package: name, messageType, enumType, service }) {
  const [last] = name.split('.').slice(-1);
  const main = files.find((file) => file.name.endsWith(`/${last}.proto`));
  main.dependency = [...new Set([...WELL_KNOWN.map((each) => each.name), ...main.dependency])];
  const all = (kind) => files.flatMap((file) => file[kind]);
  addMissing(main.enumType, enumType, all('enumType'), () => {});
  addMissing(main.messageType, messageType, all('messageType'), extendMessage);
  addMissing(main.service, service, all('service'), (known, { method }) =>
    addMissing(known.method, method, known.method, (same, { inputType }) =>
      Object.assign(same, { inputType }),
    ),
  );
}

function addMissing(to, own, known, join) {
  for (const each of own) {
    const same = known.find(({ name }) => name === each.name);
    if (same) join(same, each);
    else to.push(each);
  }
}

function extendMessage(known, { field, oneofDecl }) {
  const added = field.filter(({ name }) => known.field.every((each) => each.name !== name));
  for (const each of added) {
    if (each.proto3Optional) {
      known.oneofDecl.push(oneofDecl[each.oneofIndex]);
      each.oneofIndex = known.oneofDecl.length - 1;
    }
    known.field.push(each);
  }
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
