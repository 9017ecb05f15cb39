// Joins the descriptors of the official SDK for Node and those of openapi/proto, which has what that SDK does not
// describe: services, and further RPCs and fields of its services and messages. An empty message there stands for the
// SDK's. What comes out is valid by the rules of protoc, because clients of reflection check it.
import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { clone, create, fromBinary, fromJson, isFieldSet, toBinary, toJson } from '@bufbuild/protobuf';
import {
  EnumOptionsSchema,
  FieldDescriptorProtoSchema,
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
  for (const file of compiled(folder)) {
    const same = sdk.filter((each) => each.package === file.package);
    if (same.length > 0) extend(same, file);
    else all.push(file);
    if (file.package === 'grpc.reflection.v1') all.push(olderReflection(file));
  }
  for (const { messageType } of all) messageType.forEach(orderOneofs);
  return toBinary(FileDescriptorSetSchema, { ...EMPTY_SET, file: withImports(all) });
}

const OF_THE_SERVICE = /^scalekit\/v1\/(?!options\/)/;
const EMPTY_SET = fromBinary(FileDescriptorSetSchema, new Uint8Array());

/** Older clients know the same service by this name only. */
const olderReflection = (file) =>
  fromJson(
    FileDescriptorProtoSchema,
    JSON.parse(
      JSON.stringify(toJson(FileDescriptorProtoSchema, file)).replace(/(reflection[./]v1)\b/g, '$1alpha'),
    ),
  );

/** The files with the imports that they need and no others, each after what it imports. */
function withImports(files) {
  const homes = new Map(files.flatMap((file) => typesOf(file).map((type) => [type, file])));
  const ordered = new Set();
  const add = (file) => {
    if (ordered.has(file)) return;
    const imported = new Set(typesUsedBy(file).map((type) => homes.get(type)));
    imported.delete(file);
    file.dependency = [...imported].map(({ name }) => name).toSorted((a, b) => (a < b ? -1 : 1));
    imported.forEach(add);
    ordered.add(file);
  };
  files.forEach(add);
  return [...ordered];
}

/** The oneofs that stand for an optional field come after the others. */
function orderOneofs({ field, oneofDecl, nestedType }) {
  const isOptional = (_, i) => field.some((each) => each.proto3Optional && each.oneofIndex === i);
  const ordered = [...oneofDecl.filter((each, i) => !isOptional(each, i)), ...oneofDecl.filter(isOptional)];
  for (const each of field)
    if (isFieldSet(each, FieldDescriptorProtoSchema.field.oneofIndex))
      each.oneofIndex = ordered.indexOf(oneofDecl[each.oneofIndex]);
  oneofDecl.splice(0, oneofDecl.length, ...ordered);
  nestedType.forEach(orderOneofs);
}

/** The full names of the messages and enums of a file, as fields write them. */
function typesOf({ package: scope, messageType, enumType }) {
  const inside = (name, { nestedType, enumType: enums }) => [
    name,
    ...enums.map((each) => `${name}.${each.name}`),
    ...nestedType.flatMap((each) => inside(`${name}.${each.name}`, each)),
  ];
  return inside(`.${scope}`, { nestedType: messageType, enumType }).slice(1);
}

function typesUsedBy({ messageType, service }) {
  const inFields = ({ field, nestedType }) => [
    ...field.map(({ typeName }) => typeName),
    ...nestedType.flatMap(inFields),
  ];
  const inMethods = ({ method }) => method.flatMap(({ inputType, outputType }) => [inputType, outputType]);
  return [...messageType.flatMap(inFields), ...service.flatMap(inMethods)].filter((name) => name !== '');
}

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
  for (const file of own) {
    file.name = relative(folder, root.lookup(file.package).nestedArray[0].filename);
    for (const message of file.messageType) completeFields(message);
  }
  return own;
}

/** The SDK's options (documentation, rules, bindings) are long, and nothing reads them. */
function withoutOptions(file) {
  const bare = clone(FileDescriptorProtoSchema, file);
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

/** An enum that has two names for a number is invalid without the option that allows it. */
function stripEnum(each) {
  const { allowAlias } = each.options ?? {};
  each.options = allowAlias ? create(EnumOptionsSchema, { allowAlias }) : undefined;
  for (const value of each.value) value.options = undefined;
}

/** Adds what `own` has to the SDK's `files` of the same package. A later version of the SDK may have it. */
function extend(files, { package: name, messageType, enumType, service }) {
  const [last] = name.split('.').slice(-1);
  const main = files.find((file) => file.name.endsWith(`/${last}.proto`));
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
  entry.name = `${field.name.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())}Entry`; // as protoc names it
  field.typeName = `${type.fullName}.${entry.name}`;
  if (resolvedType) entry.field.find(({ name }) => name === 'value').typeName = resolvedType.fullName;
}
