import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually, freePort } from './process.ts';

/** Where Debian puts the programs of the newest version. */
const DEBIAN = '/usr/lib/postgresql';
const PGBOUNCER = '/usr/sbin/pgbouncer';

function binaries(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a));
  return newest === undefined ? undefined : join(DEBIAN, newest, 'bin');
}

export const HAS_POSTGRES = binaries() !== undefined;
export const HAS_PGBOUNCER = existsSync(PGBOUNCER);

/** A PostgreSQL of its own in a temporary folder. */
export class Postgres {
  readonly port: number;
  readonly #folder: string;
  readonly #pooler: ChildProcess[] = [];
  #count = 0;

  static async start(): Promise<Postgres> {
    const postgres = new Postgres(await freePort(), makeOwnFolder());
    postgres.#run('initdb', '-D', postgres.#data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--no-sync');
    postgres.resume();
    return postgres;
  }

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  /** Cuts all connections, as a crash does. */
  crash(): void {
    this.#run('pg_ctl', '-D', this.#data, '-m', 'immediate', '-w', 'stop');
  }

  resume(): void {
    this.#run('pg_ctl', ...this.#startArguments);
  }

  /** Sends the signal to each process of the server. */
  signal(signal: NodeJS.Signals): void {
    const [first] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n').map(Number);
    const others = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').match(/\d+/g) ?? [];
    // The first process starts the others again if it outlives them.
    for (const pid of [first!, ...others.map(Number)]) signalOrGone(pid, signal);
  }

  /** Starts the server after SIGKILL, and does not block this process meanwhile. */
  async restart(): Promise<void> {
    for (let code: unknown; code !== 0;) {
      const starting = spawn(join(binaries()!, 'pg_ctl'), this.#startArguments, {
        ...this.#user(),
        stdio: 'ignore',
      });
      [code] = await once(starting, 'exit'); // not 0 while processes of the killed server end
    }
  }

  get #startArguments(): string[] {
    const settings = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
    return ['-D', this.#data, '-l', join(this.#folder, 'log'), '-o', settings, '-w', 'start'];
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    this.#count += 1;
    await query(this.#address('postgres'), `CREATE DATABASE test${this.#count}`);
    return this.#address(`test${this.#count}`);
  }

  /** The address of a new, empty database behind PgBouncer in transaction mode. */
  async pooled(): Promise<string> {
    const name = new URL(await this.database()).pathname.slice(1);
    const port = await freePort();
    const file = join(this.#folder, 'pgbouncer.ini');
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
    const pooler = spawn(PGBOUNCER, [file], { ...this.#user(), stdio: 'ignore' });
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
    this.crash();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #address(database: string): string {
    return `postgres://tester@127.0.0.1:${this.port}/${database}`;
  }

  #run(program: string, ...args: string[]): void {
    // Without pipes: the server would hold them open.
    execFileSync(join(binaries()!, program), args, { ...this.#user(), stdio: 'ignore' });
  }

  /** PostgreSQL and PgBouncer refuse to run as root. */
  #user() {
    return { cwd: this.#folder, ...(process.getuid?.() === 0 && postgresUser()) };
  }
}

function postgresUser(): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  return { uid: uid!, gid: gid! };
}

function signalOrGone(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

function makeOwnFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-postgres-'));
  if (process.getuid?.() !== 0) return folder;
  const { uid, gid } = postgresUser();
  chownSync(folder, uid, gid);
  return folder;
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
