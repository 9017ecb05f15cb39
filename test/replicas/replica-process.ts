import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { start, type Exit } from '../support/process.ts';
import type { Skew } from './schedule.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

const LIBFAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Whether replicas can have clocks that are wrong. */
export const HAS_FAKETIME = existsSync(LIBFAKETIME);

interface Settings {
  port: number;
  /** The address of the database behind the proxy. */
  store: string;
  /** Milliseconds. */
  lease: number;
  toDatabase: TcpProxy;
  /** Stands between this replica and the others. */
  fromPeers: TcpProxy;
}

/** One replica, in several processes one after the other. */
export class ReplicaProcess {
  readonly settings: Settings;
  readonly url: string;
  #running: ReturnType<typeof start> | undefined;
  #isWanted = false;
  /** Exits that no fault caused, after the replica was ready. */
  readonly crashes: Exit[] = [];
  /** What its processes wrote to stderr until they ended. */
  log = '';

  constructor(settings: Settings) {
    this.settings = settings;
    this.url = `http://127.0.0.1:${settings.port}`;
  }

  /** Resolves once it is ready. Tries again while the database cannot be reached. */
  async start(skew: Skew): Promise<void> {
    this.#isWanted = true;
    while (this.#isWanted && !(await this.#startOnce(skew))) await delay(200);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#running?.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#isWanted = false;
    const running = this.#running;
    running?.child.kill('SIGKILL');
    await running?.exited;
  }

  async #startOnce(skew: Skew): Promise<boolean> {
    const running = start(this.#arguments, { variables: HAS_FAKETIME ? variablesOf(skew) : {} });
    this.#running = running;
    const isReady = await running.line(/^\{.*\}$/m).then(
      () => true,
      () => false,
    );
    void running.exited.then((exit) => {
      this.log += exit.stderr;
      removeSharedMemory(running.child.pid!);
      if (isReady && this.#isWanted) this.crashes.push(exit);
    });
    return isReady;
  }

  get #arguments(): string[] {
    const { port, store } = this.settings;
    const fixed = '--json --log-level warn --fixture empty --host 127.0.0.1';
    const options = {
      port: String(port),
      store,
    };
    const pairs = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    return ['serve', ...fixed.split(' '), ...pairs];
  }
}

const variablesOf = ({ offset, rate }: Skew) => ({
  LD_PRELOAD: LIBFAKETIME,
  FAKETIME: `${offset < 0 ? '' : '+'}${offset}s x${rate}`,
});

/** A process that is killed leaves what libfaketime shares between processes. */
function removeSharedMemory(pid: number): void {
  for (const file of readdirSync('/dev/shm'))
    if (file.includes('faketime') && file.endsWith(`_${pid}`))
      rmSync(join('/dev/shm', file), { force: true });
}
