// The setups that are compared. Each has two environments, and says at which address each of them is called.
import { join } from 'node:path';
import { OURS, start } from '../server.mjs';
import { freePort } from './database.mjs';

/** No process loses its environments because the machine is busy. */
const LEASE = [];
const CREATED = { display_name: 'Read' };

/** Starts a process that shares the database; others reach it at its own port. */
export async function startReplica(store, args = []) {
  const port = String(await freePort());
  const own = ['--store', store, '--port', port];
  return start([...OURS, ...own, ...args]);
}

/** One process for each way to keep the state, and two that share a database. */
export async function startSetups(database, folder) {
  const memory = await start([...OURS, '--memory']);
  const data = await start([...OURS, '--data', join(folder, 'data')]);
  const alone = await start([...OURS, ...LEASE, '--store', await database.create()]);
  const shared = await database.create();
  const pair = [await startReplica(shared, LEASE), await startReplica(shared, LEASE)];
  const setups = [
    await setup('--memory', [memory, memory], { persist: false }),
    await setup('--data', [data, data]),
    await setup('--store, 1 replica', [alone, alone]),
    await setup('--store, 2, at the owner', pair),
    await setup('--store, 2, forwarded', pair, { called: pair.toReversed() }),
  ];
  const stop = () => Promise.all([memory, data, alone, ...pair].map((server) => server.stop()));
  return { setups, stop };
}

/** `owners`: the process in which each environment is created. `called`: the process that clients call. */
async function setup(name, owners, { persist = true, called = owners } = {}) {
  const targets = [];
  for (const [index, owner] of owners.entries())
    targets.push(await target(owner, { persist, url: called[index].url }));
  const servers = [...new Set(owners)];
  const cpu = () => servers.reduce((sum, server) => sum + server.cpu(), 0);
  return { name, targets, cpu };
}

/** A new environment at its owner, and how clients call it at `url`. */
export async function target(owner, { persist = true, url = owner.url } = {}) {
  const wanted = { persist, fixture: 'small' };
  const environment = await said(owner, 201, 'POST', '/_control/v1/environments', wanted);
  const { name, client_id, client_secret } = environment;
  const form = String(new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }));
  const type = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
  const { access_token } = await said(owner, 200, 'POST', '/oauth/token', form, type);
  const headers = { authorization: `Bearer ${access_token}` };
  const made = await said(owner, 201, 'POST', '/api/v1/organizations', CREATED, headers);
  return { url, environment: name, headers, path: `/api/v1/organizations/${made.organization.id}` };
}

/** The body of an answer that must have this status. */
export async function said(server, status, ...call) {
  const answer = await server.call(...call);
  if (answer.status !== status) throw new Error(`${call[1]} answered ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text);
}
