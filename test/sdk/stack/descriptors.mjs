// Writes the FileDescriptorSet of the RPCs that the official SDKs call, taken from the installed SDK for
// Node.
//
//   node descriptors.mjs FILE
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { create, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const main = createRequire(import.meta.url).resolve('@scalekit-sdk/node');
const folder = join(dirname(main), 'pkg/grpc/scalekit/v1');
const found = new Map();

/** Adds a file after all files that it imports. */
function add(file) {
  if (found.has(file.proto.name)) return;
  file.dependencies.forEach(add);
  found.set(file.proto.name, file.proto);
}

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('_pb.js')) continue;
  const exported = Object.values(await import(pathToFileURL(join(folder, name)).href));
  exported.filter((each) => each?.kind === 'file').forEach(add);
}
const set = create(FileDescriptorSetSchema, { file: [...found.values()] });
writeFileSync(process.argv[2], toBinary(FileDescriptorSetSchema, set));
