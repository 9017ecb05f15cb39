// The cost of an RPC, compared with the REST call of the same operation and with the library's own server.
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { OrganizationService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/organizations/organizations_pb.js';
import autocannon from 'autocannon';
import { BARE_RPC, median, OURS, start } from './server.mjs';

const ID = 'org_10000000000000001';
const CALLS = 3000;
const CALLERS = 16;

/**
 * Compares the processor time of the server for one call, alternating. Calls per second would not be
 * comparable, because the clients differ and use more processor time than the server.
 */
export async function rpc() {
  const [ours, bare] = [await start([...OURS, '--memory']), await start(BARE_RPC)];
  const kinds = { rpc: grpcCalls(ours), rest: restCalls(ours), library: grpcCalls(bare) };
  const figures = { rpc: [], rest: [], library: [] };
  for (let turn = 0; turn < 5; turn += 1) {
    for (const [kind, run] of Object.entries(kinds)) {
      const server = kind === 'library' ? bare : ours;
      const before = server.cpu();
      await run();
      if (turn > 0) figures[kind].push((server.cpu() - before) / CALLS);
    }
  }
  await Promise.all([ours.stop(), bare.stop()]);
  const taken = median(figures.rpc);
  const against = (other) => ({
    value: `${taken.toFixed(3)} ms`,
    ratio: taken / other,
    against: `${other.toFixed(3)} ms`,
  });
  return { rest: against(median(figures.rest)), library: against(median(figures.library)) };
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

function restCalls({ url, headers }) {
  const options = { url: `${url}/api/v1/organizations/${ID}`, headers, connections: CALLERS, amount: CALLS };
  return async () => {
    const { non2xx } = await autocannon(options);
    if (non2xx > 0) throw new Error(`${non2xx} answers were no success`);
  };
}
