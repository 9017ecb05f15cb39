// Measures environments that rest in PostgreSQL: node test/bench/resting.mjs [count]. Needs `npm run build`.
// STORE names an empty database; without it, the script starts a PostgreSQL of its own, as Debian installs it.
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { median, OURS, start } from './server.mjs';

const COUNT = Number(process.argv[2] ?? 100_000);
const WAKES = 1000;

const database = process.env.STORE ? { url: process.env.STORE, stop() {} } : await ownDatabase();
const client = new pg.Client(database.url);
await client.connect();
try {
  await fill();
  print('size of the database', `${await megabytes()} MB for ${COUNT} environments of ${await rows()} rows`);
  await measure();
} finally {
  await client.end();
  database.stop();
}

/** Makes one environment, lets it rest, and copies it. */
async function fill() {
  const server = await serve();
  await made(server, '/_control/v1/environments', { name: 'model', fixture: 'empty', persist: true });
  await server.stop();
  await client.query(`
    INSERT INTO understudy_environments (name, epoch, position, snapshot, due_at, used_at, temporary, summary)
      SELECT 'copy-' || number, epoch, position, snapshot, due_at, used_at, temporary, summary
        FROM understudy_environments, generate_series(1, ${COUNT - 1}) AS number WHERE name = 'model';
    INSERT INTO understudy_snapshots SELECT 'copy-' || number, position, part, body
      FROM understudy_snapshots, generate_series(1, ${COUNT - 1}) AS number WHERE environment = 'model';
    INSERT INTO understudy_commits SELECT 'copy-' || number, position, epoch, body
      FROM understudy_commits, generate_series(1, ${COUNT - 1}) AS number WHERE environment = 'model'`);
  await client.query('VACUUM ANALYZE');
}

async function measure() {
  const begun = performance.now();
  const server = await serve('--rest-after', 'off', '--max-awake', String(WAKES));
  print('start', `${Math.round(performance.now() - begun)} ms`);
  const before = server.memory();
  print('memory after the start', `${Math.round(before)} MB`);
  print('one heartbeat looks for what is due in', `${await timeOfLook()} ms`);
  const wakes = [];
  for (let number = 1; number <= Math.min(WAKES, COUNT - 1); number += 1) {
    const name = `copy-${number * Math.floor((COUNT - 1) / Math.min(WAKES, COUNT - 1))}`;
    const first = await timeOf(server, name);
    wakes.push(first - (await timeOf(server, name)));
  }
  wakes.sort((a, b) => a - b);
  print(
    'a wake costs a call',
    `${ms(median(wakes))} ms (p99 ${ms(wakes[Math.floor(wakes.length * 0.99)])} ms)`,
  );
  print(`memory with ${wakes.length} awake`, `${Math.round(server.memory())} MB`);
  const stopped = performance.now();
  await server.stop();
  print(
    'a rest, when all of them rest at the stop',
    `${ms((performance.now() - stopped) / wakes.length)} ms`,
  );
}

async function timeOfLook() {
  const { rows } = await client.query(`
    EXPLAIN (ANALYZE, FORMAT JSON)
    SELECT name FROM understudy_environments WHERE owner IS NULL AND due_at <= now() ORDER BY due_at LIMIT 1000`);
  return rows[0]['QUERY PLAN'][0]['Execution Time'];
}

async function timeOf(server, name) {
  const begun = performance.now();
  const { status } = await server.call('GET', '/_control/v1/clock', undefined, {
    'understudy-environment': name,
  });
  if (status !== 200) throw new Error(`${name}: ${status}`);
  return performance.now() - begun;
}

function serve(...flags) {
  return start([...OURS, '--store', database.url, ...flags]);
}

async function made(server, path, body, headers) {
  const { status, text } = await server.call('POST', path, body, headers);
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text);
}

async function megabytes() {
  const { rows: found } = await client.query('SELECT pg_database_size(current_database()) AS size');
  return Math.round(found[0].size / 1e6);
}

async function rows() {
  const { rows: found } = await client.query(
    "SELECT summary FROM understudy_environments WHERE name = 'model'",
  );
  return JSON.parse(found[0].summary).rows;
}

/** A new PostgreSQL in a temporary folder; it refuses to run as root. */
async function ownDatabase() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const bin = join('/usr/lib/postgresql', versions.toSorted((a, b) => b - a)[0] ?? '', 'bin');
  if (!existsSync(bin))
    throw new Error('set STORE to the address of an empty database: no PostgreSQL is installed');
  const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', process.getuid() === 0 ? [flag, 'postgres'] : [flag])),
  );
  chownSync(folder, uid, gid);
  const port = await freePort();
  const run = (program, ...args) =>
    execFileSync(join(bin, program), args, { cwd: folder, uid, gid, stdio: 'ignore' });
  const data = join(folder, 'data');
  run('initdb', '-D', data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-o', settings, '-w', 'start');
  return {
    url: `postgres://tester@127.0.0.1:${port}/postgres`,
    stop() {
      run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function print(name, value) {
  console.log(`${name.padEnd(44)} ${value}`);
}

function ms(time) {
  return Math.round(time * 100) / 100;
}
