import { setTimeout as delay } from 'node:timers/promises';
import type { Postgres } from '../support/postgres.ts';
import { freePort } from '../support/process.ts';
import { ReplicaProcess } from './replica-process.ts';
import { concernedBy, type Fault, type Skew } from './schedule.ts';
import { TcpProxy, type Passage } from '../support/tcp-proxy.ts';

const RIGHT: Skew = { offset: 0, rate: 1 };

/** Replicas and their database. All connections between them go through proxies. */
export class Cluster {
  readonly replicas: readonly ReplicaProcess[];
  /** The address of the database, without a proxy. */
  readonly store: string;
  readonly #postgres: Postgres;
  /** The last fault of each thing. */
  readonly #over = new Map<string, Promise<void>>();

  static async start(
    postgres: Postgres,
    { count, lease }: { count: number; lease: number },
  ): Promise<Cluster> {
    const store = await postgres.database();
    const replicas = await Promise.all(Array.from({ length: count }, () => replicaOf(store, lease)));
    for (const replica of replicas) await replica.start(RIGHT);
    return new Cluster(postgres, store, replicas);
  }

  private constructor(postgres: Postgres, store: string, replicas: readonly ReplicaProcess[]) {
    this.#postgres = postgres;
    this.store = store;
    this.replicas = replicas;
  }

  get urls(): string[] {
    return this.replicas.map(({ url }) => url);
  }

  /** Resolves when the fault is over. It begins when an earlier one of the same thing is over. */
  suffer(fault: Fault): Promise<void> {
    const concerned = concernedBy(fault);
    const over = (this.#over.get(concerned) ?? Promise.resolve()).then(() => this.#suffer(fault));
    this.#over.set(concerned, over);
    return over;
  }

  async #suffer({ kind, replica: index, length, skew }: Fault): Promise<void> {
    const replica = this.replicas[index]!;
    const { toDatabase, fromPeers } = replica.settings;
    const link = kind.endsWith('database link') ? toDatabase : fromPeers;
    switch (kind) {
      case 'kill replica':
        await replica.kill();
        await delay(length);
        return replica.start(skew);
      case 'pause replica':
        return paused(replica, length);
      case 'kill database':
        this.#postgres.signal('SIGKILL');
        await delay(length);
        return this.#postgres.restart();
      case 'pause database':
        return paused(this.#postgres, length);
      default:
        link.passage = PASSAGES[kind.split(' ')[0]!]!;
        await delay(length);
        link.passage = 'open';
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    for (const { settings } of this.replicas)
      await Promise.all([settings.toDatabase.close(), settings.fromPeers.close()]);
  }
}

const PASSAGES: Readonly<Record<string, Passage>> = { cut: 'cut', stall: 'stalled', deafen: 'deaf' };

interface Pausable {
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

async function paused(processes: Pausable, length: number): Promise<void> {
  processes.signal('SIGSTOP');
  await delay(length);
  processes.signal('SIGCONT');
}

async function replicaOf(store: string, lease: number): Promise<ReplicaProcess> {
  const address = new URL(store);
  const toDatabase = await TcpProxy.start(Number(address.port));
  address.port = String(toDatabase.port);
  const port = await freePort();
  const fromPeers = await TcpProxy.start(port);
  return new ReplicaProcess({ port, store: address.href, lease, toDatabase, fromPeers });
}
