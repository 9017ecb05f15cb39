import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, fromBinary, type DescService } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { PACKAGE_ROOT } from '../package-root.ts';
import { AuditLogsService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auditlogs/auditlogs_pb.js';
import { AuthService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auth/auth_pb.js';
import { PasswordlessService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auth/passwordless_pb.js';
import { WebAuthnService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auth/webauthn_pb.js';
import { ClientService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/clients/clients_pb.js';
import { ConnectedAccountService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/connected_accounts/connected_accounts_pb.js';
import { ConnectionService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/connections/connections_pb.js';
import { DirectoryService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/directories/directories_pb.js';
import { DomainService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/domains/domains_pb.js';
import { EventsService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/events/events_pb.js';
import { OrganizationService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/organizations/organizations_pb.js';
import { RolesService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/roles/roles_pb.js';
import { SessionService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/sessions/sessions_pb.js';
import { ApiTokenService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/tokens/tokens_pb.js';
import { ToolService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/tools/tools_pb.js';
import { UserService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/users/users_pb.js';

const OF_THE_SDK: readonly DescService[] = [
  AuditLogsService,
  AuthService,
  PasswordlessService,
  WebAuthnService,
  ClientService,
  ConnectedAccountService,
  ConnectionService,
  DirectoryService,
  DomainService,
  EventsService,
  OrganizationService,
  RolesService,
  SessionService,
  ApiTokenService,
  ToolService,
  UserService,
];

/** Those that the SDK for Node does not have, and others do: openapi/proto, as the build has read it. */
function ofOurOwn(): DescService[] {
  const bytes = readFileSync(join(PACKAGE_ROOT, 'dist', 'rpc.binpb'));
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  return [...registry].filter((each) => each.kind === 'service');
}

/** The services as the official SDK describes them, so that what goes over the wire is its own, and ours. */
export const SERVICES: readonly DescService[] = [...OF_THE_SDK, ...ofOurOwn()];
