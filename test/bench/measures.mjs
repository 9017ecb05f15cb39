// One function for each row of the table. Each measures its baseline in the same run.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { BARE, median, OURS, start, timed, timedAfter } from './server.mjs';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';
const IN_MEMORY = [...OURS, '--memory'];

/**
 * The time from process start to the first correct response, alternating with bare Express. An earlier run
 * provides the token.
 */
export async function firstAnswer() {
  const earlier = await start(IN_MEMORY);
  const { authorization } = earlier.headers;
  await earlier.stop();
  const ours = [];
  const bare = [];
  for (let i = 0; i < 9; i += 1) {
    ours.push(await untilAnswer(IN_MEMORY, { authorization }));
    bare.push(await untilAnswer(BARE, {}));
  }
  return {
    value: `${round(median(ours))} ms`,
    ratio: median(ours) / median(bare),
    against: `${round(median(bare))} ms`,
  };
}

async function untilAnswer(args, headers) {
  const { spawn } = await import('node:child_process');
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  const response = await fetch(`${JSON.parse(line).url}${ORGANIZATION}`, { headers });
  const { organization } = await response.json();
  const taken = performance.now() - begun;
  if (organization.display_name !== 'Acme Corp') throw new Error('the answer is wrong');
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await gone;
  return taken;
}

/** Requests per second of GET one organization with 16 connections, alternating with bare Express. */
export const throughput = () => compare(IN_MEMORY, BARE);

/** The same measurement with a journal, compared with none. */
export const journal = () => compare(IN_MEMORY, [...IN_MEMORY, '--journal-entries', '0']);

async function compare(own, other) {
  const servers = { other: await start(other), own: await start(own) };
  const figures = { own: [], other: [] };
  for (let i = 0; i < 4; i += 1) {
    for (const [name, { url, headers }] of Object.entries(servers)) {
      const { requests, non2xx } = await autocannon({
        url: url + ORGANIZATION,
        headers,
        connections: 16,
        duration: 4,
      });
      if (non2xx > 0) throw new Error(`${name}: ${non2xx} answers were no success`);
      if (i > 0) figures[name].push(requests.average);
    }
  }
  await Promise.all([servers.own.stop(), servers.other.stop()]);
  const [ours, theirs] = [median(figures.own), median(figures.other)];
  return { value: `${round(ours)}/s`, ratio: ours / theirs, against: `${round(theirs)}/s` };
}

/**
 * GET one organization with 1 000 loaded rules that do not match, compared with no rules: the worse of two
 * kinds of rules. The lowest processor time of several rounds counts, because other processes can only add
 * to it.
 */
export async function matching() {
  const server = await start(IN_MEMORY);
  const reply = { error: 'unavailable' };
  const kinds = {
    none: () => [],
    'of another operation': (i) => [{ on: 'UserService_GetUser', when: { path: { id: `usr_${i}` } }, reply }],
    'of the same operation': (i) => [
      { on: 'OrganizationService_GetOrganization', when: { path: { id: `org_${i}` } }, reply },
    ],
  };
  const taken = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (let round = 0; round < 9; round += 1) {
    for (const [kind, rulesOf] of Object.entries(kinds)) {
      const rules = Array.from({ length: 1000 }, (_, i) => rulesOf(i)).flat();
      const { status } = await server.call('POST', '/_control/v1/scenarios', { name: 'rules', rules });
      if (status !== 201) throw new Error(`the rules ${kind} were not loaded`);
      const before = server.cpu();
      const { non2xx } = await autocannon({
        url: server.url + ORGANIZATION,
        headers: server.headers,
        connections: 16,
        amount: 5000,
      });
      if (non2xx > 0) throw new Error(`rules ${kind}: ${non2xx} answers were no success`);
      if (round > 0) taken[kind].push((server.cpu() - before) / 5000);
    }
  }
  await server.stop();
  const { none, ...others } = Object.fromEntries(
    Object.entries(taken).map(([kind, values]) => [kind, Math.min(...values)]),
  );
  const told = Object.entries(others).map(([kind, value]) => `${kind} ${round(value / none, 2)}`);
  const worst = Math.max(...Object.values(others));
  return { value: told.join(', '), ratio: worst / none, against: `${round(none, 3)} ms` };
}

/** A page of 10 rows of 100 000, compared with 10 of 100; also a middle page. */
export async function listing({ small, large }) {
  const [few, many] = [
    await start([...IN_MEMORY, '--fixture', small]),
    await start([...IN_MEMORY, '--fixture', large]),
  ];
  const first = '/api/v1/organizations?page_size=10';
  const next = JSON.parse((await many.call('GET', first)).text).next_page_token;
  const fast = await timed(500, () => few.call('GET', first));
  const slow = await timed(500, () => many.call('GET', first));
  const second = await timed(500, () => many.call('GET', `${first}&page_token=${next}`));
  await Promise.all([few.stop(), many.stop()]);
  const worst = Math.max(slow, second);
  return { value: `${round(worst, 3)} ms`, ratio: worst / fast, against: `${round(fast, 3)} ms` };
}

/** Creating an organization with the log on, with 100 000 rows compared with 100. */
export async function creating({ small, large, folder }) {
  const few = await start([...OURS, '--data', `${folder}/few`, '--fixture', small]);
  const many = await start([...OURS, '--data', `${folder}/many`, '--fixture', large]);
  const create = (server) => (i) =>
    server.call('POST', '/api/v1/organizations', { display_name: `New ${i}` });
  const fast = await timed(800, create(few));
  const slow = await timed(800, create(many));
  await Promise.all([few.stop(), many.stop()]);
  return { value: `${round(slow, 3)} ms`, ratio: slow / fast, against: `${round(fast, 3)} ms` };
}

/**
 * A new environment, a reset and a restore over HTTP, the latter two after a write, with 100 000 rows
 * compared with 100.
 */
export async function envs({ small, large }) {
  const few = await worldCalls(small);
  const many = await worldCalls(large);
  return Object.keys(few).map((name) => ({
    name,
    value: `${round(many[name], 2)} ms`,
    figure: many[name],
    against: `${round(few[name], 2)} ms`,
    ratio: many[name] / few[name],
  }));
}

async function worldCalls(fixture) {
  const server = await start([...IN_MEMORY, '--fixture', fixture]);
  const control = (path, body) => server.call('POST', `/_control/v1${path}`, body);
  const write = () => server.call('POST', '/api/v1/organizations', { display_name: 'New' });
  const make = await timed(200, () => control('/environments', {}));
  await control('/snapshots', { name: 'here' });
  const reset = await timedAfter(200, write, () => control('/reset'));
  const restore = await timedAfter(200, write, () => control('/snapshots/here/restore'));
  await server.stop();
  return { 'new environment': make, reset, restore };
}

/** Resident memory with 1 000 environments that have each handled one call, compared with one environment. */
export async function manyEnvironments() {
  const server = await start(IN_MEMORY);
  const before = server.memory();
  for (let i = 0; i < 999; i += 1) {
    const { name } = JSON.parse((await server.call('POST', '/_control/v1/environments', {})).text);
    await server.call('GET', '/_control/v1/state/organizations', undefined, {
      'understudy-environment': name,
    });
  }
  const more = server.memory() - before;
  await server.stop();
  return { value: `${round(more)} MB`, figure: more };
}

/** Resident memory when idle, and after one call of every operation of the contract. */
export async function memory() {
  const server = await start(IN_MEMORY);
  const idle = server.memory();
  const { operations } = JSON.parse(readFileSync('dist/openapi.contract.json', 'utf8'));
  for (const { method, path } of operations) {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    await server.call(method, path.replaceAll(/\{[^}]+\}/g, 'org_10000000000000001'), body);
  }
  const used = server.memory();
  await server.stop();
  return {
    idle: { value: `${round(idle)} MB`, figure: idle },
    used: { value: `${round(used)} MB`, figure: used },
  };
}

const round = (value, digits = 0) => value.toFixed(digits);
