import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, fromBinary, type DescService } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { PACKAGE_ROOT } from '../../files.ts';

/**
 * All services, as the build joins them from the descriptors of an official SDK and openapi/proto.
 * Unverified (grpc/reflection): the service for reflection is none of them.
 */
export const SERVICES: readonly DescService[] = readServices();

function readServices(): DescService[] {
  const bytes = readFileSync(join(PACKAGE_ROOT, 'dist', 'rpc.binpb'));
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  return [...registry].filter((each) => each.kind === 'service');
}
