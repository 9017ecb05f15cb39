// The setups that are compared. Each has two environments, and says at which address each of them is called.
import { join } from 'node:path';
import { OURS, start } from '../server.mjs';
import { freePort } from './database.mjs';

const CREATED = { display_name: 'Read' };

/** Starts a process that shares the database. */
export async function startReplica(store, args = []) {
  const port = String(await freePort());
  const own = ['--store', store, '--port', port];
  return start([...OURS, ...own, ...args]);
}

/** One process for each way to keep the state, and two that share a database. */
export async function startSetups(database, folder) {
  const memory = await start([...OURS, '--memory']);
  const data = await start([...OURS, '--data', join(folder, 'data')]);
  const alone = await start([...OURS, '--store', await database.create()]);
  const shared = await database.create();
  const three = [await startReplica(shared), await startReplica(shared), await startReplica(shared)];
  const pair = three.slice(0, 2);
  const setups = [
    await setup('--memory', [memory, memory], { persist: false }),
    await setup('--data', [data, data]),
    await setup('--store, 1 replica', [alone, alone]),
    await setup('--store, 2, one for each environment', pair),
    await setup('--store, 2, each for all', pair, { isSpread: true }),
    await setup('--store, 3, each for all', three, { isSpread: true }),
  ];
  const stop = () => Promise.all([memory, data, alone, ...three].map((server) => server.stop()));
  return { setups, stop };
}

/** `servers`: those in which the environments are created. `isSpread`: each environment is called at all of them. */
async function setup(name, servers, { persist = true, isSpread = false } = {}) {
  const targets = [];
  for (const server of servers.slice(0, 2)) {
    const made = await target(server, { persist });
    targets.push(...(isSpread ? servers.map(({ url }) => ({ ...made, url })) : [made]));
  }
  const all = [...new Set(servers)];
  return { name, targets, cpu: () => all.reduce((sum, server) => sum + server.cpu(), 0) };
}

/** A new environment, and how clients call it. */
export async function target(server, { persist = true } = {}) {
  const wanted = { persist, fixture: 'small' };
  const environment = await said(server, 201, 'POST', '/_control/v1/environments', wanted);
  const { name, client_id, client_secret } = environment;
  const form = String(new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }));
  const type = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
  const { access_token } = await said(server, 200, 'POST', '/oauth/token', form, type);
  const headers = { authorization: `Bearer ${access_token}` };
  const made = await said(server, 201, 'POST', '/api/v1/organizations', CREATED, headers);
  return {
    url: server.url,
    environment: name,
    headers,
    path: `/api/v1/organizations/${made.organization.id}`,
  };
}

/** The body of an answer that must have this status. */
export async function said(server, status, ...call) {
  const answer = await server.call(...call);
  if (answer.status !== status) throw new Error(`${call[1]} answered ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text);
}
