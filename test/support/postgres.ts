import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { BINARIES, PostgresServer } from './postgres-server.mjs';
import { eventually, freePort } from './process.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';

export const HAS_POSTGRES = BINARIES !== undefined;
export const HAS_PGBOUNCER = existsSync(PGBOUNCER);

/** A PostgreSQL of its own in a temporary folder. */
export class Postgres {
  readonly port: number;
  readonly #server: PostgresServer;
  readonly #pooler: ChildProcess[] = [];
  #count = 0;

  static async start(): Promise<Postgres> {
    return new Postgres(await freePort());
  }

  private constructor(port: number) {
    this.port = port;
    this.#server = new PostgresServer(port, { fsync: 'off' });
  }

  /** Cuts all connections, as a crash does. */
  crash(): void {
    this.#server.crash();
  }

  resume(): void {
    this.#server.resume();
  }

  /** Sends the signal to each process of the server. */
  signal(signal: NodeJS.Signals): void {
    this.#server.signal(signal);
  }

  /** Starts the server after SIGKILL, and does not block this process meanwhile. */
  restart(): Promise<void> {
    return this.#server.restart();
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    this.#count += 1;
    await query(this.#server.address('postgres'), `CREATE DATABASE test${this.#count}`);
    return this.#server.address(`test${this.#count}`);
  }

  /** The address of a new, empty database behind PgBouncer in transaction mode. */
  async pooled(): Promise<string> {
    const name = new URL(await this.database()).pathname.slice(1);
    const port = await freePort();
    const file = join(this.#server.folder, 'pgbouncer.ini');
    const lines = [
      '[databases]',
      `${name} = host=127.0.0.1 port=${this.port} user=tester`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 2',
    ];
    writeFileSync(file, lines.join('\n'));
    const pooler = spawn(PGBOUNCER, [file], { ...this.#server.user, stdio: 'ignore' });
    this.#pooler.push(pooler);
    const address = `postgres://tester@127.0.0.1:${port}/${name}`;
    await eventually(
      () =>
        query(address, 'SELECT 1').then(
          () => true,
          () => false,
        ),
      (isReady) => isReady,
    );
    return address;
  }

  async stop(): Promise<void> {
    for (const pooler of this.#pooler) {
      pooler.kill('SIGKILL');
      await once(pooler, 'exit');
    }
    this.#server.remove();
  }
}

/** Runs one statement on a connection of its own. */
export async function query(address: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
