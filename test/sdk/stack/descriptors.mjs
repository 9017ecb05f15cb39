// Writes the FileDescriptorSet of the RPCs that the official SDKs call, taken from the installed SDK for
// Node.
//
//   node descriptors.mjs FILE
import { writeFileSync } from 'node:fs';
import { create, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { sdkFiles } from '../../../scripts/sdk-descriptors.mjs';

const set = create(FileDescriptorSetSchema, { file: await sdkFiles() });
writeFileSync(process.argv[2], toBinary(FileDescriptorSetSchema, set));
