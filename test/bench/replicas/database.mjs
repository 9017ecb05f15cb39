// PostgreSQL with its own settings, its processor time, and what statements cost it.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import pg from 'pg';
import { BINARIES, PostgresServer } from '../../support/postgres-server.mjs';

if (BINARIES === undefined) throw new Error('this needs PostgreSQL: apt-get install postgresql');

/** Appended commits: the statement that each group of changes needs. */
const APPENDS = `
  SELECT coalesce(sum(calls), 0)::int AS count, coalesce(sum(total_exec_time), 0) AS time
    FROM pg_stat_statements WHERE query LIKE '%INSERT INTO understudy_commits%'`;

export class BenchDatabase {
  #server;
  #client;
  #count = 0;

  static async start() {
    const database = new BenchDatabase(await freePort());
    await database.#connect();
    return database;
  }

  constructor(port) {
    this.#server = new PostgresServer(port, { shared_preload_libraries: 'pg_stat_statements' });
  }

  async #connect() {
    this.#client = new pg.Client(this.#server.address('postgres'));
    await this.#client.connect();
    await this.#client.query('CREATE EXTENSION pg_stat_statements');
  }

  /** The address of a new, empty database. */
  async create() {
    this.#count += 1;
    await this.#client.query(`CREATE DATABASE bench${this.#count}`);
    return this.#server.address(`bench${this.#count}`);
  }

  /** Processor time so far of all its processes in milliseconds, with a resolution of 10 ms. */
  cpu() {
    const first = this.#server.pid;
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ');
    const own = ticks(first, [11, 12, 13, 14]); // with its ended children
    return children.reduce((sum, pid) => sum + ticks(pid, [11, 12]), own) * 10;
  }

  /** How many bytes of change log it has written, and which statements have stored commits. */
  async work() {
    const [{ wal }] = (await this.#client.query("SELECT (pg_current_wal_lsn() - '0/0')::float8 AS wal")).rows;
    const [{ count, time }] = (await this.#client.query(APPENDS)).rows;
    return { wal, appends: count, time };
  }

  async stop() {
    await this.#client.end();
    this.#server.remove();
  }
}

function ticks(pid, fields) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const values = readFileSync(file, 'utf8').split(/\) /)[1].split(' ');
  return fields.reduce((sum, field) => sum + Number(values[field]), 0);
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
