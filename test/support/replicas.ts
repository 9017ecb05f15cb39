import pg from 'pg';
import { onTestFinished } from 'vitest';
import { DEFAULTS, type Config } from '../../src/start/config.ts';
import { listen } from '../../src/server/port/listener.ts';
import { createUnderstudy, type Understudy } from '../../src/simulator.ts';
import { agent, packageFiles, tokenOf, type Agent } from './boot.ts';
import { eventually, freePort } from './process.ts';

/** One of several simulators of this process that share a database. */
export interface Replica {
  understudy: Understudy;
  url: string;
  /** Sends calls to /_control/v1; give the path without that prefix. */
  control: Agent;
  anonymous: Agent;
  /** The lines that it logged. */
  lines: string[];
  /** Sends calls with a token of the client of `default`. */
  login(): Promise<Agent>;
  close(): Promise<void>;
}

/** Starts a simulator on the database; it listens on a port of its own. */
export async function startReplica(store: string, config: Partial<Config> = {}): Promise<Replica> {
  const lines: string[] = [];
  const port = config.port ?? (await freePort());
  const own = { data: undefined, logLevel: 'warn', fixture: 'empty', port, store } as const;
  const settings: Config = { ...DEFAULTS, ...own, ...config };
  const understudy = await createUnderstudy(settings, (line) => lines.push(line), packageFiles);
  const listener = await listen(understudy, settings);
  understudy.answersAt(listener.url);
  const { app } = understudy;
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= listener.stop(0).then(() => understudy.close()));
  onTestFinished(close);
  return {
    understudy,
    url: listener.url,
    control: agent(app, '/_control/v1', {}),
    anonymous: agent(app, '', {}),
    lines,
    async login() {
      return agent(app, '', { authorization: `Bearer ${await tokenOf(app, settings.credentials)}` });
    },
    close,
  };
}

/** Starts simulators on the database. */
export async function startPeers(store: string, count = 2): Promise<[Replica, Replica, ...Replica[]]> {
  const replicas: Replica[] = [];
  while (replicas.length < count) replicas.push(await startReplica(store, { fixture: 'default' }));
  return replicas as [Replica, Replica];
}

/** Resolves once this simulator owns `default`. */
export async function owning(replica: Replica): Promise<Replica> {
  await eventually(
    async () => (await replica.control.get('/state/organizations')).status,
    (status) => status === 200,
  );
  return replica;
}

/** Runs a statement in a transaction that stays open until the returned function is called. */
export async function holding(address: string, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  await client.query('BEGIN');
  await client.query(statement);
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= client.query('ROLLBACK').then(() => client.end()));
  onTestFinished(end);
  return end;
}
