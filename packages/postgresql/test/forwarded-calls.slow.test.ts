import { connect } from 'node:net';
import { create, fromJson } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../src/start/config.ts';
import { agent, tokenOf } from '../../../test/support/boot.ts';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { eventually } from '../../../test/support/process.ts';
import { startPeers, type Replica } from '../../../test/support/replicas.ts';
import { framed } from '../../../test/server/grpc/raw.ts';
import { callRpc, grpcTo, METHODS } from '../../../test/server/grpc/support.ts';

const LIST = METHODS.get('OrganizationService_ListOrganization')!;
const GET = METHODS.get('OrganizationService_GetOrganization')!;
const LIST_PATH = '/scalekit.v1.organizations.OrganizationService/ListOrganization';
const ORGANIZATIONS = '/api/v1/organizations';

let postgres: Postgres;
let store: string;
let first: Replica;
let second: Replica;
let third: Replica;
let token: string;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

async function start(count = 2): Promise<void> {
  store = await postgres.database();
  [first, second, third] = (await startPeers(store, count)) as [Replica, Replica, Replica];
  token = await tokenOf(second.understudy.app, KNOWN_CREDENTIALS);
}

const bearer = () => ({ authorization: `Bearer ${token}` });

/** Sends a request over a connection of its own, and returns all that comes back, without what differs in each answer. */
async function bytesOf({ url }: Replica, head: readonly string[], body: Uint8Array = Buffer.alloc(0)) {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const chunks: Buffer[] = [];
  let error: string | undefined;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', (thrown: NodeJS.ErrnoException) => (error = thrown.code));
  const own = [
    `host: ${host}`,
    'connection: close',
    `authorization: Bearer ${token}`,
    `content-length: ${body.length}`,
  ];
  socket.write([...head, ...own, '', ''].join('\r\n'));
  socket.write(body);
  await new Promise((resolve) => socket.once('close', resolve));
  const text = Buffer.concat(chunks).toString('latin1');
  return {
    error,
    text: text.replace(/^(date|understudy-request-id): .*\r\n/gim, '').replaceAll(host, 'HOST'),
  };
}

const rest = (replica: Replica) => bytesOf(replica, [`GET ${ORGANIZATIONS} HTTP/1.1`]);

/** gRPC over HTTP/1.1. */
const rpc = (replica: Replica) =>
  bytesOf(
    replica,
    [`POST ${LIST_PATH} HTTP/1.1`, 'content-type: application/grpc', 'te: trailers'],
    framed(new Uint8Array()),
  );

const load = async (fault: object) => {
  const rules = [{ on: 'OrganizationService_*', fault }];
  await second.control.post('/scenarios').send({ name: 'broken', rules }).expect(201);
};

describe.skipIf(!HAS_POSTGRES)('a call that is forwarded', () => {
  it('is answered with the same bytes as by the owner, broken answers included', async () => {
    await start();
    const [whole, wholeRpc] = [await rest(first), await rpc(first)];
    expect(whole.text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(wholeRpc.text).toMatch(/\r\ngrpc-status: 0\r\n/);
    expect([await rest(second), await rpc(second)]).toEqual([whole, wholeRpc]);

    const faults = [
      { disconnect: 'before' },
      { disconnect: 'middle' },
      { disconnect: 'reset' },
      { truncate: 7 },
      { garbage: true },
      { dribble: { chunks: 3, over: '30ms' } },
    ];
    for (const fault of faults) {
      await load(fault);
      const isRandom = 'garbage' in fault;
      for (const [call, unbroken] of [
        [rest, whole],
        [rpc, wholeRpc],
      ] as const) {
        const [own, forwarded] = [await call(first), await call(second)];
        if (isRandom) expect(forwarded.text.length, JSON.stringify(fault)).toBe(own.text.length);
        else expect(forwarded, JSON.stringify(fault)).toEqual(own);
        if ('dribble' in fault) expect(own).toEqual(unbroken);
        else expect(own, JSON.stringify(fault)).not.toEqual(unbroken);
      }
    }
  });

  it('may be a push of an identity provider, whose secret names the environment', async () => {
    await start();
    await first.control.post('/environments').send({ name: 'tenant' }).expect(201);
    const path = `${ORGANIZATIONS}/org_10000000000000001/directories/dir_10000000000000601/secrets`;
    const credentials = await first.control.get('/environments/tenant').expect(200);
    const { client_id, client_secret } = credentials.body;
    const own = await tokenOf(first.understudy.app, { client_id, client_secret });
    const { body } = await first.anonymous.post(path).set('authorization', `Bearer ${own}`).expect(200);
    const users = '/directory/dir_10000000000000601/scim/v2/Users';
    const secret = { authorization: `Bearer ${body.plain_secret}` };

    const pushed = await second.anonymous
      .post(users)
      .set(secret)
      .send({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'mia@acme.example' })
      .expect(201);

    const read = await first.anonymous.get(`${users}/${pushed.body.id}`).set(secret).expect(200);
    expect(read.headers['etag']).toBe(pushed.headers['etag']);
    await second.anonymous.get(users).set({ authorization: 'Bearer test_tenant_x' }).expect(401);
  });

  it('may be an RPC that no operation has', async () => {
    await start();
    const unknown = (replica: Replica) =>
      bytesOf(
        replica,
        [
          'POST /scalekit.v1.tools.ToolService/Nowhere HTTP/1.1',
          'content-type: application/grpc',
          'te: trailers',
        ],
        framed(new Uint8Array()),
      );

    const own = await unknown(first);

    expect(own.text).toMatch(/\r\ngrpc-status: 12\r\n/);
    expect(await unknown(second)).toEqual(own);
  });

  it('may come as gRPC over TLS', async () => {
    await start();
    const ca = await (await fetch(`${second.url}/_control/v1/ca.pem`)).text();
    const baseUrl = second.url.replace('http:', 'https:');
    const transport = createGrpcTransport({ baseUrl, nodeOptions: { ca } });

    const answer = await callRpc(transport, LIST, create(LIST.input), bearer());

    expect(answer).toHaveProperty('organizations');
    const { body } = await first.control.get('/requests?operation=OrganizationService_ListOrganization');
    expect(body.requests).toMatchObject([{ protocol: 'grpc', status: 200 }]);
  });

  it('ends at the owner when its caller leaves', async () => {
    await start();
    await load({ delay: '1h' });
    const leaving = new AbortController();
    const { signal } = leaving;
    const call = fetch(second.url + ORGANIZATIONS, { headers: bearer(), signal }).catch(() => 'left');
    const journal = async () =>
      (await first.control.get('/requests?operation=OrganizationService_ListOrganization')).body.requests;
    await eventually(journal, (requests) => requests.length > 0);

    leaving.abort();

    expect(await call).toBe('left');
    const [entry] = await eventually(journal, ([{ fault }]) => fault?.abandoned === true);
    expect(entry.fault).toMatchObject({ delay_ms: 3_600_000, abandoned: true });
  });

  it('finds an environment that another process owns by now', async () => {
    await start(3);
    const rows = ({ control }: Replica) =>
      control.get('/state/organizations').set('understudy-environment', 'moved');
    await first.control.post('/environments').send({ name: 'moved', fixture: 'empty' }).expect(201);
    await rows(third).expect(200); // from now on the third process knows its owner
    await first.control.delete('/environments/moved').expect(204);
    await second.control.post('/environments').send({ name: 'moved', fixture: 'small' }).expect(201);

    const { body } = await rows(third).expect(200);

    expect(body.rows.length).toBeGreaterThan(0);
  });

  it('may fork an environment of another process', async () => {
    await start();
    const api = agent(second.understudy.app, '', bearer());
    const { body } = await api.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(201);

    await second.control.post('/environments/default/fork').send({ name: 'copy' }).expect(201);

    const path = `/state/organizations/${body.organization.id}`;
    for (const { control } of [first, second])
      await control.get(path).set('understudy-environment', 'copy').expect(200);
    await second.control.delete(path).set('understudy-environment', 'copy').expect(204);
    await first.control.get(path).expect(200);
  });

  it('gets 503 if the database cannot say who owns its environment', async () => {
    await start(3);
    const message = fromJson(GET.input, { external_id: 'acme' });

    postgres.crash();
    const calls = [third.control.get('/state/organizations'), third.control.get('/environments')];
    const answers = await Promise.all(calls);
    const error = (await callRpc(grpcTo(third.url), GET, message, bearer())) as ConnectError;
    postgres.resume();

    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '1'],
      [503, '1'],
    ]);
    expect(error.code).toBe(Code.Unavailable);
    expect(third.lines.filter((line) => line.startsWith('error:'))).toEqual([]);
  });
});

describe.skipIf(!HAS_POSTGRES)('the address for calls of other processes', () => {
  const frame = (text: string, length = Buffer.byteLength(text)) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(length);
    return Buffer.concat([bytes, Buffer.from(text)]);
  };
  const post = async (body: Buffer, secret: unknown) => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${first.url}/_replicas/calls`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers,
    });
    const text = await response.text();
    return { status: response.status, message: response.status < 500 && text };
  };

  it('refuses what is no call, with and without the secret', async () => {
    await start();
    const [row] = await query(store, "SELECT value FROM understudy_secrets WHERE name = 'forwarding'");
    const secret = row!['value'];
    const bodies: [Buffer, number, string][] = [
      [Buffer.alloc(0), 400, 'the frame has ended early'],
      [Buffer.from('x'), 400, 'the frame has ended early'],
      [frame('{}', 10), 400, 'the frame has ended early'],
      [frame('no JSON'), 400, 'the frame does not begin with a JSON object'],
      [frame('7'), 400, 'the frame does not begin with a JSON object'],
      [frame('{}'), 400, 'the frame is no call'],
      [frame('[]'), 400, 'the frame is no call'],
      [frame('{}', 0xff_ff_ff_ff), 413, 'the frame is larger than 16 MB'],
    ];

    for (const [body, status, message] of bodies) {
      expect(await post(body, 'guessed')).toMatchObject({ status: 403 });
      const refused = await post(body, secret);
      expect(refused).toEqual({ status, message: expect.stringContaining(message) });
    }
    const reached = async (given: unknown) => {
      const headers = { authorization: `Bearer ${String(given)}` };
      return (await fetch(`${first.url}/_replicas/calls`, { method: 'HEAD', headers })).status;
    };
    expect([await reached('guessed'), await reached(secret)]).toEqual([403, 204]);
    const call = { method: 'GET', path: '/', url: '/', query: {}, headers: {}, absent: [], api: 'control' };
    const elsewhere = { ...call, environment: 'elsewhere' };
    expect(await post(frame(JSON.stringify(elsewhere)), secret)).toEqual({
      status: 421,
      message: frame('{"environment":"elsewhere"}').toString(),
    });
    expect(first.lines.filter((line) => line.startsWith('error:'))).toEqual([]);
  });

  it('refuses a body that is larger than any', async () => {
    await start();
    const [row] = await query(store, "SELECT value FROM understudy_secrets WHERE name = 'forwarding'");
    const call = { method: 'PUT', path: '/', headers: {}, absent: [], hasBody: true };
    const body = Buffer.concat([frame(JSON.stringify(call)), Buffer.alloc(100_000_001)]);

    const refused = await post(body, row!['value']);

    expect(refused).toEqual({
      status: 413,
      message: expect.stringContaining('the frame is larger than 100 MB'),
    });
  });
});
