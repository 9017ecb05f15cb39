// How long an environment is without an owner after kill -9, and what its take-over costs.
import { median } from '../server.mjs';
import { said, startReplica } from './setups.mjs';

const ROUNDS = 3;
const LEASE = 5000;
const ORGANIZATIONS = '/api/v1/organizations';
const READ = `${ORGANIZATIONS}?page_size=1`;

/** `fixture`: the rows of `default`. `commits`: what is in the log besides the snapshot. */
export async function takeOver(database, { fixture, commits }) {
  const figures = [];
  for (let round = 0; round < ROUNDS; round += 1)
    figures.push(await killOwner(await database.create(), database, { fixture, commits }));
  const of = (name) => median(figures.map((figure) => figure[name]));
  return { lease: LEASE, taken: of('taken'), own: of('own'), database: of('database') };
}

async function killOwner(store, database, { fixture, commits }) {
  const args = ['--fixture', fixture, '--lease', `${LEASE}ms`];
  const owner = await startReplica(store, args);
  for (let made = 0; made < commits; made += 1)
    await said(owner, 201, 'POST', ORGANIZATIONS, { display_name: `New ${made}` });
  const next = await startReplica(store, args);
  await said(next, 200, 'GET', READ); // forwarded
  const before = { own: next.cpu(), database: database.cpu() };
  const begun = performance.now();
  owner.child.kill('SIGKILL');
  while ((await next.call('GET', READ).catch(() => ({}))).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const taken = performance.now() - begun;
  const figure = { taken, own: next.cpu() - before.own, database: database.cpu() - before.database };
  await next.stop();
  return figure;
}
