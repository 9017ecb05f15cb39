import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { agent, tokenOf } from '../../../test/support/boot.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { owning, startPeers, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const LIST = '/api/v1/organizations';
const ALL = { environments: 'all', format: 'json' };

/** Creates an environment, which this replica then owns, and calls it. */
async function use({ control, understudy }: Replica, name: string): Promise<void> {
  const made = (await control.post('/environments').send({ name }).expect(201)).body;
  const authorization = `Bearer ${await tokenOf(understudy.app, made)}`;
  await agent(understudy.app, '', { authorization }).get(LIST).expect(200);
}

const coverageAt = async ({ control }: Replica) =>
  (await control.get('/coverage').query(ALL).expect(200)).body;

/** A living replica of the database that accepts connections and never answers. Returns its address. */
async function silentReplica(store: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await query(
    store,
    `INSERT INTO understudy_replicas (id, expires_at, address)
       VALUES ('silent', clock_timestamp() + interval '1 hour', '${address}')`,
  );
  return address;
}

/** Reads a stream; `until` resolves with its text once it has this part. */
async function read(url: string) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(url, { signal: leaving.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async until(part: string): Promise<string> {
      while (!text.includes(part)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream has ended: ${text}`);
        text += value;
      }
      return text;
    },
  };
}

describe.skipIf(!HAS_POSTGRES)('any replica', () => {
  it('shows the coverage of all replicas, and sets it to zero', async () => {
    const [first, second] = await startPeers(await postgres.database());
    const before = (await coverageAt(first)).summary.calls;
    await use(first, 'one');
    await use(second, 'two');

    const [here, there] = [await coverageAt(first), await coverageAt(second)];

    expect(here.summary.calls).toBe(before + 4); // two tokens and two lists
    expect(here).not.toHaveProperty('missing_replicas');
    expect(there.summary).toEqual(here.summary);
    expect(there.runs).toHaveLength(2);
    const page = await second.control.get('/coverage').query({ environments: 'all', format: 'html' });
    expect(page.text).toContain('Contract coverage');
    await second.control.delete('/coverage').query({ environments: 'all' }).expect(204);
    expect((await coverageAt(first)).summary.calls).toBe(0);
  });

  it('streams what happens in the environments of all replicas', async () => {
    const [first, second] = await startPeers(await postgres.database());
    const feed = await read(`${second.url}/_control/v1/events?environments=all&kinds=request`);
    await feed.until(`: replica ${first.url} answers\n\n`);

    await use(first, 'one');
    await use(second, 'two');

    await feed.until('{"environment":"two","id":"req_2"');
    const text = await feed.until('{"environment":"one","id":"req_2"');
    expect(text).toMatch(/event: request\ndata: {"environment":"one","id":"req_1","method":"POST"/);
    expect(text.match(/"environment":"one","id":"req_1"/g)).toHaveLength(1);
  });

  it('goes on to stream when it takes over the environment default', async () => {
    const [first, second] = await startPeers(await postgres.database());
    const feed = await read(`${second.url}/_control/v1/events?environments=all&kinds=request`);
    await feed.until(`: replica ${first.url} answers\n\n`);

    await first.close();
    await owning(second);
    await second.login();

    await feed.until('{"environment":"default","id":"req_1","method":"POST","path":"/oauth/token"');
  });

  it('names a replica that does not answer', async () => {
    const store = await postgres.database();
    const [first] = await startPeers(store);
    const address = await silentReplica(store);

    const note = `: replica ${address} does not answer\n\n`;
    const feed = read(`${first.url}/_control/v1/events?environments=all`);
    const coverage = (format: string) =>
      first.control
        .get('/coverage')
        .query({ ...ALL, format })
        .expect(200);

    const [text, report, page, refused] = await Promise.all([
      feed.then(({ until }) => until(note)),
      coverage('json'),
      coverage('html'),
      first.control.delete('/coverage').query({ environments: 'all' }).expect(503),
    ]);

    expect(report.body.missing_replicas).toEqual([address]);
    expect(page.text).toContain(`without replica ${address}, which did not answer`);
    expect(text).toContain(': what happens in every environment');
    expect(refused.body.message).toContain(`replica ${address} does not answer and keeps its counts`);
  });
});
