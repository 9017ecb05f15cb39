import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';
import { call2, dial, dialHttp2, openPort } from '../support/port.ts';
import { eventuallyHolds } from '../support/process.ts';

const GET = 'GET /_control/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const FORM = new URLSearchParams({ grant_type: 'client_credentials', ...KNOWN_CREDENTIALS }).toString();
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends the text byte by byte, each in its own packet. */
async function trickle(socket: ReturnType<typeof dial>['socket'], text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of text) await new Promise((sent) => socket.write(byte, sent));
}

describe('a connection, by its first bytes', () => {
  it('is HTTP/1.1, however the bytes arrive', async () => {
    const { port } = await openPort();
    const { socket, heard } = dial(port);
    await trickle(socket, GET);
    expect(await heard()).toMatch(/^HTTP\/1\.1 200 OK[^]*"status":"ok"/);
  });

  it.each(['POST', 'PUT', 'PATCH'])(
    'is not HTTP/2 when it starts with %s, although the preface also begins with P',
    async (verb) => {
      const { port } = await openPort();
      const { socket, heard } = dial(port);
      socket.write('P');
      await once(socket, 'ready').catch(() => {});
      socket.write(
        `${verb.slice(1)} /nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      expect(await heard()).toMatch(/^HTTP\/1\.1 404 /);
    },
  );

  it('is HTTP/2 after the preface, however the bytes arrive', async () => {
    const { port } = await openPort();
    const { socket, heard } = dial(port);
    await trickle(socket, PREFACE);
    socket.end(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])); // an empty SETTINGS frame
    const [, , , type] = Buffer.from(await heard(), 'latin1');
    expect(type).toBe(4); // the server's SETTINGS frame
  });

  it.each([
    ['an unknown protocol', 'HELLO\r\n\r\n'],
    ['an incomplete preface', `${PREFACE.slice(0, 20)}XXXX\r\n\r\n`],
  ])('is refused for %s', async (_, bytes) => {
    const { port } = await openPort();
    const { socket, heard } = dial(port);
    socket.write(bytes);
    expect(await heard()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('may break off at any point without harm to the service', async () => {
    const { port, url } = await openPort();
    for (const bytes of ['', 'P', 'GET / HT', PREFACE.slice(0, 10), PREFACE]) {
      const { socket } = dial(port);
      await once(socket, 'connect');
      await new Promise((sent) => socket.write(bytes, sent));
      socket.resetAndDestroy();
    }
    expect((await fetch(`${url}/_control/v1/health`)).status).toBe(200);
  });

  it('is closed when it sends nothing', async () => {
    const { port } = await openPort({ silence: 1 });
    expect(await dial(port).heard()).toBe('');
  });
});

describe('REST over HTTP/2 with prior knowledge', () => {
  it('responds as over HTTP/1.1, with token, body and query', async () => {
    const { url } = await openPort();
    const session = dialHttp2(url);
    const token = await call2(session, { ':method': 'POST', ':path': '/oauth/token', ...FORM_TYPE }, FORM);
    const authorization = `Bearer ${JSON.parse(token.text).access_token}`;
    const made = await call2(
      session,
      {
        ':method': 'POST',
        ':path': '/api/v1/organizations',
        authorization,
        'content-type': 'application/json',
      },
      '{"display_name":"Globex"}',
    );
    expect(made.status).toBe(201);
    const { id } = JSON.parse(made.text).organization;
    const [one, list] = await Promise.all([
      call2(session, { ':path': `/api/v1/organizations/${id}`, authorization }),
      call2(session, { ':path': '/api/v1/organizations?page_size=1', authorization }),
    ]);
    const plain = await fetch(`${url}/api/v1/organizations/${id}`, { headers: { authorization } });
    expect(one.text).toBe(await plain.text());
    expect(one.headers['content-type']).toBe(plain.headers.get('content-type'));
    expect(JSON.parse(list.text).organizations).toHaveLength(1);
  });

  it('takes its host from :authority', async () => {
    const { url, port } = await openPort();
    const { text } = await call2(dialHttp2(url), {
      ':path': '/.well-known/openid-configuration',
      ':authority': `service.example:${port}`,
    });
    expect(JSON.parse(text).issuer).toBe(`http://service.example:${port}`);
  });

  it('accepts a body without a length, and refuses one that is too large', async () => {
    const { url } = await openPort();
    const session = dialHttp2(url);
    const large = await call2(
      session,
      { ':method': 'POST', ':path': '/oauth/token', ...FORM_TYPE },
      Buffer.alloc(3_000_000, 'x'),
    );
    expect(large.status).toBe(413);
    const after = await call2(session, { ':method': 'POST', ':path': '/oauth/token', ...FORM_TYPE }, FORM);
    expect(after.status).toBe(200);
  });

  it('serves a hundred parallel streams of one connection', async () => {
    const { url } = await openPort();
    const session = dialHttp2(url);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => call2(session, { ':path': '/_control/v1/health' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('responds to HEAD without a body, and to an unknown path with 404', async () => {
    const { url } = await openPort();
    const session = dialHttp2(url);
    const head = await call2(session, { ':method': 'HEAD', ':path': '/_control/v1/health' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect((await call2(session, { ':path': '/nowhere' })).status).toBe(404);
  });

  it('survives a client that disconnects in the middle', async () => {
    const { url } = await openPort();
    const session = dialHttp2(url);
    const stream = session.request({ ':method': 'POST', ':path': '/oauth/token', ...FORM_TYPE });
    stream.on('error', () => {});
    stream.write('grant_type=');
    await once(session, 'remoteSettings');
    stream.close(8);
    expect((await call2(session, { ':path': '/_control/v1/health' })).status).toBe(200);
  });
});

describe('stopping the service', () => {
  /** Loads a scenario that delays each call, starts one with `begin`, and resolves when the call has come. */
  async function busy({ url }: { url: string }, begin: () => void): Promise<void> {
    await fetch(`${url}/_control/v1/scenarios`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'slow-answers' }),
    });
    begin();
    await eventuallyHolds(async () => {
      const answered = await fetch(`${url}/_control/v1/requests`);
      const { requests } = (await answered.json()) as { requests: object[] };
      expect(requests.length).toBeGreaterThan(0);
    });
  }

  it('finishes open streams, and closes idle connections of every protocol at once', async () => {
    const opened = await openPort();
    const silent = dial(opened.port);
    const idle = dialHttp2(opened.url);
    await once(idle, 'connect');
    const session = dialHttp2(opened.url);
    let answer!: ReturnType<typeof call2>;
    await busy(opened, () => (answer = call2(session, { ':path': '/.well-known/openid-configuration' })));

    await opened.stop(60_000);

    expect((await answer).status).toBe(200);
    expect(await silent.heard()).toBe('');
  });

  it('tells a client over HTTP/1.1 that its connection closes after the answer', async () => {
    const opened = await openPort();
    const { socket, heard } = dial(opened.port);
    const call = 'GET /.well-known/openid-configuration HTTP/1.1\r\nhost: localhost\r\n\r\n';
    await busy(opened, () => void socket.write(call));

    await opened.stop(60_000);

    expect((await heard()).toLowerCase()).toContain('connection: close');
  });
});
