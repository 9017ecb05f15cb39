// Starts Debian's PostgreSQL, for tests and measurements.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Debian puts the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';

/** The folder with the programs of the newest version; undefined if there is none. */
export const BINARIES = newestBinaries();

function newestBinaries() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a));
  return newest === undefined ? undefined : join(DEBIAN, newest, 'bin');
}

/** A server of its own in a temporary folder. */
export class PostgresServer {
  #port;
  #settings;
  folder = makeOwnFolder();

  constructor(port, settings = {}) {
    this.#port = port;
    this.#settings = settings;
    this.#run('initdb', '-D', this.#data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--no-sync');
    this.resume();
  }

  get #data() {
    return join(this.folder, 'data');
  }

  /** Of the process that has started all others. */
  get pid() {
    return Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Sends the signal to each process of the server. */
  signal(signal) {
    const first = this.pid;
    const others = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').match(/\d+/g) ?? [];
    // The first process starts the others again if it outlives them.
    for (const pid of [first, ...others.map(Number)]) signalOrGone(pid, signal);
  }

  /** Cuts all connections, as a crash does. */
  crash() {
    this.#run('pg_ctl', '-D', this.#data, '-m', 'immediate', '-w', 'stop');
  }

  resume() {
    this.#run('pg_ctl', ...this.#startArguments);
  }

  /** Starts the server after SIGKILL, and does not block this process meanwhile. */
  async restart() {
    for (let code; code !== 0;) {
      const starting = spawn(join(BINARIES, 'pg_ctl'), this.#startArguments, {
        ...this.user,
        stdio: 'ignore',
      });
      [code] = await once(starting, 'exit'); // not 0 while processes of the killed server end
    }
  }

  get #startArguments() {
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...this.#settings };
    const settings = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
    const options = [`-p ${this.#port}`, ...settings].join(' ');
    return ['-D', this.#data, '-l', join(this.folder, 'log'), '-o', options, '-w', 'start'];
  }

  remove() {
    this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  address(database) {
    return `postgres://tester@127.0.0.1:${this.#port}/${database}`;
  }

  /** How to start a program that refuses to run as root, as PostgreSQL and PgBouncer do. */
  get user() {
    return { cwd: this.folder, ...(process.getuid?.() === 0 && postgresUser()) };
  }

  #run(program, ...args) {
    // Without pipes: the server would hold them open.
    execFileSync(join(BINARIES, program), args, { ...this.user, stdio: 'ignore' });
  }
}

function signalOrGone(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if (thrown.code !== 'ESRCH') throw thrown;
  }
}

function postgresUser() {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  return { uid, gid };
}

function makeOwnFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-postgres-'));
  if (process.getuid?.() !== 0) return folder;
  const { uid, gid } = postgresUser();
  chownSync(folder, uid, gid);
  return folder;
}
