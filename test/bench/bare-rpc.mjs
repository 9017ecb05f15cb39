// The baseline of RPCs: the library's own server with one method that returns the same message.
import { createServer } from 'node:http2';
import { create } from '@bufbuild/protobuf';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import {
  GetOrganizationResponseSchema,
  OrganizationService,
} from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/organizations/organizations_pb.js';

const organization = {
  id: 'org_10000000000000001',
  createTime: { seconds: 1767776400n },
  updateTime: { seconds: 1768919400n },
  displayName: 'Acme Corp',
  regionCode: 0,
  externalId: 'crm-acme',
  metadata: { plan: 'enterprise', account_owner: 'Priya Shah' },
  slug: 'acme',
  settings: { features: [{ name: 'sso', enabled: true }, { name: 'dir_sync' }] },
};
const getOrganization = () => create(GetOrganizationResponseSchema, { organization });
const routes = (router) => router.service(OrganizationService, { getOrganization });
const server = createServer(connectNodeAdapter({ routes })).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
