import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { issueAuthority, issueServer } from '../../../src/server/certificates/issue.ts';
import { metricsOf } from '../../../test/support/metrics.ts';
import { HAS_POSTGRES, Postgres } from '../../../test/support/postgres.ts';
import { eventually, freePort, makeFolder, serve, type Service } from '../../../test/support/process.ts';
import { follow } from '../../../test/support/event-stream.ts';
import { holding, owning as owningPeer, startReplica } from '../../../test/support/replicas.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

const STATE = '/state/organizations';

interface Starting {
  scheme?: 'http' | 'https';
  flags?: string[];
  variables?: Record<string, string>;
}

async function replica(store: string, { scheme = 'http', flags = [], variables = {} }: Starting = {}) {
  const port = String(await freePort());
  const own = ['--port', port, '--advertise', `${scheme}://127.0.0.1:${port}`, '--fixture', 'empty'];
  return serve(['--store', store, ...own, ...flags], { variables });
}

async function owning(service: Service): Promise<Service> {
  await eventually(
    async () => (await service.control.get(STATE)).status,
    (status) => status === 200,
  );
  return service;
}

const put = ({ control }: Service, name: string) =>
  control
    .put(`${STATE}/org_12345678901234567890`)
    .send({ display_name: name, region_code: 'US', metadata: {}, create_time: 'now', update_time: 'now' });

/** Files with a certificate for 127.0.0.1, its key, and the authority that has signed it. */
async function certificateFiles() {
  const folder = makeFolder();
  const authority = await issueAuthority();
  const { certificate, key } = await issueServer(authority, ['127.0.0.1', 'localhost']);
  const written = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  return {
    flags: ['--tls-cert', written('cert.pem', certificate), '--tls-key', written('key.pem', key)],
    trusting: { NODE_EXTRA_CA_CERTS: written('ca.pem', authority.certificate) },
  };
}

describe.skipIf(!HAS_POSTGRES)('an owner', () => {
  it('is called over TLS if its address begins with https:, and only if its certificate is trusted', async () => {
    const store = await postgres.database();
    const { flags, trusting } = await certificateFiles();
    const owner = await owning(await replica(store, { scheme: 'https', flags, variables: trusting }));
    const trustful = await replica(store, { scheme: 'https', flags, variables: trusting });
    const distrustful = await replica(store, { scheme: 'https', flags });

    await put(trustful, 'written').expect(200);

    const { body } = await owner.control.get(STATE).expect(200);
    expect(body.rows).toMatchObject([{ display_name: 'written' }]);
    const refused = await put(distrustful, 'refused').expect(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.body.message).toMatch(
      /^the process at https:\/\/127\.0\.0\.1:\d+, which owns environment default, cannot be reached: self-signed certificate/,
    );
  });

  it('that is paused holds up a call no longer than its lease, and others not at all', async () => {
    const store = await postgres.database();
    const lease = ['--lease', '6s'];
    const owner = await owning(await replica(store, { flags: lease }));
    const other = await replica(store, { flags: lease });
    await put(other, 'before').expect(200);
    const stream = await follow(`${other.url}/_control/v1/events`);
    // The other process cannot take the environment over.
    const release = await holding(store, 'SELECT 1 FROM understudy_environments FOR UPDATE');

    owner.kill('SIGSTOP');
    const reading = other.control.get(STATE).then();
    const writing = put(other, 'unknown').then(
      ({ status }) => status,
      () => 'closed',
    );

    // A call that only reads is repeated. Nobody knows whether the other one has had its effect.
    const read = await reading;
    expect([read.status, read.headers['retry-after']]).toEqual([503, '1']);
    expect(await writing).toBe('closed');
    expect((await stream.toEnd()).every(({ event }) => event !== '')).toBe(true);
    await put(other, 'refused').expect(503);

    await release();
    await owning(other);
    await put(other, 'after').expect(200);
    const { body } = await other.control.get(STATE).expect(200);
    expect(body.rows).toMatchObject([{ display_name: 'after' }]);
    owner.kill('SIGCONT');
    await eventually(
      async () => (await owner.control.get(STATE)).body.rows as object[] | undefined,
      (rows) => rows !== undefined,
    );
  });

  it('that is paused while the database is away holds up a call no longer than two leases', async () => {
    const own = await Postgres.start();
    onTestFinished(() => own.stop());
    const store = await own.database();
    const lease = ['--lease', '6s'];
    const owner = await owning(await replica(store, { flags: lease }));
    const other = await replica(store, { flags: lease });
    await put(other, 'before').expect(200);

    owner.kill('SIGSTOP');
    own.crash();
    const writing = put(other, 'unknown').then(
      ({ status }) => status,
      () => 'closed',
    );
    const [read, written] = [await other.control.get(STATE), await writing];
    const calls = await metricsOf(other.anonymous); // of those that this process answers itself
    own.resume();
    owner.kill('SIGCONT');

    expect([read.status, read.headers['retry-after']]).toEqual([503, '1']);
    expect(read.body.message).toMatch(/^database .* cannot be reached: try again$/);
    expect(written).toBe('closed');
    const counted = (operation: string, status: string) =>
      calls.get(
        `understudy_calls_total{api="control",operation="${operation}",protocol="http/1.1",status="${status}"}`,
      );
    expect(counted('Control_ListRows', '5xx')).toBe(1);
    expect(counted('Control_PutRow', 'none')).toBe(1);
  });

  it('whose connection has died without a word holds up a call no longer than two leases, and slow calls may take longer', async () => {
    const store = await postgres.database();
    const port = await freePort();
    const proxy = await TcpProxy.start(port);
    onTestFinished(() => proxy.close());
    const advertise = `http://127.0.0.1:${proxy.port}`;
    const lease = 6000;
    const owner = await owningPeer(await startReplica(store, { port, lease, advertise }));
    const other = await startReplica(store, { lease, advertise: 'http://127.0.0.1:9' });
    await other.control.get('/requests/wait').query({ timeout: '13s', path: '/nowhere' }).expect(408);

    const began = performance.now();
    proxy.passage = 'stalled';
    const writing = other.control
      .post('/snapshots')
      .send({ name: 'unknown' })
      .then(
        ({ status }) => status,
        () => 'closed',
      );
    const read = await other.control.get(STATE);

    expect([read.status, read.headers['retry-after']]).toEqual([503, '1']);
    expect(read.body.message).toMatch(/ cannot be reached: it does not answer: try again$/);
    expect(await writing).toBe('closed');
    expect(performance.now() - began).toBeLessThan(10 * lease); // two leases, and time for a machine that pauses
    await owner.control.get(STATE).expect(200);
  });
});
