// How long environments are without an owner after kill -9, and what their take-over costs.
import autocannon from 'autocannon';
import { median } from '../server.mjs';
import { said, startReplica } from './setups.mjs';

const ROUNDS = 3;
const LEASE = 5000;
/** Milliseconds between two tries of a call. */
const PAUSE = 50;
const ORGANIZATIONS = '/api/v1/organizations';
const NEW = { method: 'POST', body: '{"display_name":"New"}' };

/** `fixture`: the rows of `default`. `commits`: its changes since. `others`: how many more environments there are. */
export async function takeOver(database, state) {
  const figures = [];
  for (let round = 0; round < ROUNDS; round += 1)
    figures.push(await killOwner(await database.create(), database, state));
  const of = (name) => median(figures.map((figure) => figure[name]));
  return { lease: LEASE, taken: of('taken'), own: of('own'), database: of('database') };
}

async function killOwner(store, database, { fixture, commits, others }) {
  const args = ['--fixture', fixture, '--lease', `${LEASE}ms`];
  const owner = await startReplica(store, args);
  const next = await startReplica(store, args);
  const names = ['default'];
  while (names.length <= others) {
    const { name } = await said(owner, 201, 'POST', '/_control/v1/environments', { persist: true });
    names.push(name);
  }
  const headers = { ...owner.headers, 'content-type': 'application/json' };
  const load = { url: owner.url + ORGANIZATIONS, headers, ...NEW, connections: 10, amount: commits };
  if ((await autocannon(load)).non2xx > 0) throw new Error('a create was refused');
  const before = { own: next.cpu(), database: database.cpu() };
  const begun = performance.now();
  owner.child.kill('SIGKILL');
  for (const name of names) await untilServed(next, name);
  const taken = performance.now() - begun;
  const figure = { taken, own: next.cpu() - before.own, database: database.cpu() - before.database };
  await next.stop();
  return figure;
}

async function untilServed(server, environment) {
  const headers = { 'understudy-environment': environment };
  for (;;) {
    const { status } = await server.call('GET', '/_control/v1/clock', undefined, headers).catch(() => ({}));
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
