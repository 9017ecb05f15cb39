// What an RPC costs, against the library's own server.
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { OrganizationService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/organizations/organizations_pb.js';
import { BARE_RPC, median, OURS, start } from './server.mjs';

const ID = 'org_10000000000000001';
const CALLS = 3000;
const CALLERS = 16;

/** Processor time of the server for one call, in turns: the client takes more than the server, and so hides it. */
export async function rpc() {
  const servers = { bare: await start(BARE_RPC), ours: await start([...OURS, '--memory']) };
  const figures = { bare: [], ours: [] };
  for (let turn = 0; turn < 5; turn += 1) {
    for (const [name, server] of Object.entries(servers)) {
      const before = server.cpu();
      await callMany(server);
      if (turn > 0) figures[name].push((server.cpu() - before) / CALLS);
    }
  }
  await Promise.all([servers.bare.stop(), servers.ours.stop()]);
  const [ours, theirs] = [median(figures.ours), median(figures.bare)];
  return { value: `${ours.toFixed(3)} ms`, ratio: ours / theirs, against: `${theirs.toFixed(3)} ms` };
}

async function callMany({ url, headers }) {
  const client = createClient(OrganizationService, createGrpcTransport({ baseUrl: url }));
  const message = { identities: { case: 'id', value: ID } };
  const caller = async () => {
    for (let call = 0; call < CALLS / CALLERS; call += 1) {
      const { organization } = await client.getOrganization(message, { headers });
      if (organization.id !== ID) throw new Error('the answer is wrong');
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}
