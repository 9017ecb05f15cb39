// The descriptors of the official SDK for Node, as it is installed.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const main = createRequire(import.meta.url).resolve('@scalekit-sdk/node');
const folder = join(dirname(main), 'pkg/grpc/scalekit/v1');

/** Every FileDescriptorProto of the SDK, after all files that it imports. */
export async function sdkFiles() {
  const found = new Map();
  const add = (file) => {
    if (found.has(file.proto.name)) return;
    file.dependencies.forEach(add);
    found.set(file.proto.name, file.proto);
  };
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!name.endsWith('_pb.js')) continue;
    const exported = Object.values(await import(pathToFileURL(join(folder, name)).href));
    exported.filter((each) => each?.kind === 'file').forEach(add);
  }
  return [...found.values()];
}
