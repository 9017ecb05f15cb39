// What an RPC costs, against the REST call of the same operation.
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { OrganizationService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/organizations/organizations_pb.js';
import autocannon from 'autocannon';
import { median, OURS, start } from './server.mjs';

const ID = 'org_10000000000000001';
const CALLS = 3000;
const CALLERS = 16;

/** Processor time of the server for one call: the clients of the two differ too much for calls a second to tell. */
export async function rpc() {
  const server = await start([...OURS, '--memory']);
  const grpc = grpcCalls(server);
  const rest = () => restCalls(server);
  const figures = { grpc: [], rest: [] };
  for (let turn = 0; turn < 5; turn += 1) {
    for (const [name, run] of Object.entries({ grpc, rest })) {
      const before = server.cpu();
      await run();
      if (turn > 0) figures[name].push((server.cpu() - before) / CALLS);
    }
  }
  await server.stop();
  const [ours, theirs] = [median(figures.grpc), median(figures.rest)];
  return { value: `${ours.toFixed(3)} ms`, ratio: ours / theirs, against: `${theirs.toFixed(3)} ms` };
}

function grpcCalls({ url, headers }) {
  const client = createClient(OrganizationService, createGrpcTransport({ baseUrl: url }));
  const message = { identities: { case: 'id', value: ID } };
  const caller = async () => {
    for (let call = 0; call < CALLS / CALLERS; call += 1) {
      const { organization } = await client.getOrganization(message, { headers });
      if (organization.id !== ID) throw new Error('the answer is wrong');
    }
  };
  return () => Promise.all(Array.from({ length: CALLERS }, caller));
}

async function restCalls({ url, headers }) {
  const options = { url: `${url}/api/v1/organizations/${ID}`, headers, connections: CALLERS, amount: CALLS };
  const { non2xx } = await autocannon(options);
  if (non2xx > 0) throw new Error(`${non2xx} answers were no success`);
}
