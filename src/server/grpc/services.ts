import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, fromBinary, type DescService } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { PACKAGE_ROOT } from '@understudy/text/files';

/** Everything that is described, as the build joins it from the descriptors of an official SDK and openapi/proto. */
export const REGISTRY = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(join(PACKAGE_ROOT, 'dist', 'rpc.binpb'))),
);

const ALL: readonly DescService[] = [...REGISTRY].filter((each) => each.kind === 'service');

/** The services whose RPCs are operations. */
export const SERVICES = ALL.filter(({ typeName }) => typeName.startsWith('scalekit.'));

/** The names of all services, with those of gRPC itself. */
export const SERVICE_NAMES: readonly string[] = ALL.map(({ typeName }) => typeName).toSorted();
