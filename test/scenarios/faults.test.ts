import { createServer, get, type IncomingHttpHeaders, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../src/server/port/listener.ts';
import { boot, type Booted } from '../support/boot.ts';
import { eventuallyHolds } from '../support/process.ts';
import { complain, facts, load } from './support.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';
const GET = 'OrganizationService_GetOrganization';
const DELETE_USER = '/api/v1/users/usr_10000000000000105';

interface Heard {
  status?: number;
  headers?: IncomingHttpHeaders;
  body: Buffer;
  /** True when the whole body has been received. */
  complete: boolean;
  error?: string;
}

/** A simulator with one rule, behind a real socket. */
async function broken(rule: object) {
  const booted = await boot();
  await booted.control
    .post('/scenarios')
    .send({ name: 'broken', rules: [{ on: '*', ...rule }] })
    .expect(201);
  const server = createServer(booted.understudy.app);
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  onTestFinished(() => void server.close());
  return {
    ...booted,
    server,
    port,
    call: (path = ORGANIZATION, method = 'GET') => hear(booted, port, path, method),
  };
}

function hear({ token }: Booted, port: number, path: string, method: string): Promise<Heard> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = get({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      const { statusCode: status = 0 } = response;
      let error: string | undefined;
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (thrown: NodeJS.ErrnoException) => (error = thrown.code));
      response.on('close', () => {
        const { complete } = response;
        const body = Buffer.concat(chunks);
        resolve({ status, headers: response.headers, body, complete, ...(error && { error }) });
      });
    });
    request.on('error', (thrown: NodeJS.ErrnoException) =>
      resolve({ body: Buffer.alloc(0), complete: false, error: thrown.message }),
    );
  });
}

const lastEntry = async ({ control }: Pick<Booted, 'control'>) => {
  const { body } = await control.get('/requests').expect(200);
  return body.requests.at(-1);
};

describe('lose', () => {
  const CREATE = 'OrganizationService_CreateOrganization';

  it('runs the operation, keeps its changes, and answers 503', async () => {
    const sim = await boot();
    const rule = { on: CREATE, times: 1, fault: { lose: true } };
    await sim.control
      .post('/scenarios')
      .send({ name: 'lost', rules: [rule] })
      .expect(201);
    const wanted = { display_name: 'Twice', external_id: 'crm-twice' };

    const { body } = await sim.api.post('/api/v1/organizations').send(wanted).expect(503);

    expect(body).toMatchObject({ code: 14, details: [{ error_code: 'UNAVAILABLE' }] });
    expect(await lastEntry(sim)).toMatchObject({
      status: 503,
      fault: { lose: true },
      changes: [{ op: 'add' }, { path: expect.stringMatching('/events/') }],
    });
    await sim.api.get('/api/v1/organizations:external/crm-twice').expect(200);
    await sim.api.post('/api/v1/organizations').send(wanted).expect(400);
  });

  it('also loses the answer to a call that is refused', async () => {
    const sim = await broken({ on: GET, fault: { lose: true } });

    await sim.api.get('/api/v1/organizations/org_404').expect(503);
    await sim.anonymous.get(ORGANIZATION).expect(401);
  });

  it('answers the operations of OAuth and pages in their own forms', async () => {
    const sim = await broken({ fault: { lose: true } });

    const token = await sim.anonymous.post('/oauth/token').type('form').send({ grant_type: 'x' }).expect(503);
    const page = await sim.anonymous.get('/ui/login/req_404').set('accept', 'text/html').expect(503);

    expect(token.body).toHaveProperty('error');
    expect(page.headers['content-type']).toContain('text/html');
  });

  it('has no effect together with a reply or a patch', () => {
    const rule = (member: string) =>
      `name: test\nrules:\n  - on: ${GET}\n    fault: { lose: true }\n    ${member}\n`;

    expect(complain(rule('reply: { error: not_found }'))).toEqual([
      '5:5 rules[0].reply: has no effect: the fault is lose, which answers 503',
    ]);
    expect(complain(rule('patch: { organization: { slug: a } }'))).toEqual([
      '5:5 rules[0].patch: has no effect: the fault is lose',
    ]);
  });
});

describe('disconnect', () => {
  it('before: closes the connection without a byte and does not run the operation', async () => {
    const sim = await broken({ on: 'UserService_DeleteUser', fault: { disconnect: 'before' } });

    const heard = await sim.call(DELETE_USER, 'DELETE');

    expect(heard).toMatchObject({ error: 'socket hang up', complete: false });
    await sim.api.get(DELETE_USER).expect(200);
  });

  it('reset: resets the connection, also at the listening port', async () => {
    const sim = await broken({ fault: { disconnect: 'reset' } });
    const listener = await listen(sim.understudy, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => listener.stop(1));

    const heard = await sim.call();
    const atPort = await hear(sim, Number(new URL(listener.url).port), ORGANIZATION, 'GET');

    expect([heard.error, atPort.error]).toEqual(['read ECONNRESET', 'read ECONNRESET']);
  });

  it('middle: runs the operation and sends half of the body', async () => {
    const sim = await broken({ on: 'UserService_DeleteUser', fault: { disconnect: 'middle' } });

    const heard = await sim.call(DELETE_USER, 'DELETE');

    expect(heard).toMatchObject({ status: 200, complete: false, error: 'ECONNRESET' });
    expect([heard.headers!['content-length'], heard.body.toString()]).toEqual(['2', '{']);
    await sim.api.get(DELETE_USER).expect(404);
  });

  it('middle: breaks off within the headers when there is no body', async () => {
    const reply = { status: 299, contract: 'violated' };
    const sim = await broken({ reply, fault: { disconnect: 'middle' } });

    const heard = await sim.call();

    expect(heard.error).toBe('socket hang up');
    expect(await lastEntry(sim)).toMatchObject({ status: 299 });
  });

  it('before: leaves a journal entry without a status', async () => {
    const sim = await broken({ fault: { disconnect: 'before' } });
    await sim.call();

    const entry = await lastEntry(sim);

    expect(entry).toMatchObject({
      operation: GET,
      scenario: { name: 'broken', rule: 0 },
      fault: { disconnect: 'before' },
    });
    expect(entry).not.toHaveProperty('status');
    expect(entry.response).toEqual({ headers: {} });
  });
});

describe('truncate', () => {
  it('sends the given number of bytes under the full content-length', async () => {
    const sim = await broken({ times: 1, fault: { truncate: 20 } });

    const heard = await sim.call();
    const whole = await sim.call();

    expect(heard).toMatchObject({ status: 200, complete: false, error: 'ECONNRESET' });
    expect(heard.body.toString()).toBe(whole.body.toString().slice(0, 20));
    expect(heard.headers!['content-length']).toBe(whole.headers!['content-length']);
  });

  it('sends only the headers with 0, and the whole body when it is shorter', async () => {
    const nothing = await broken({ fault: { truncate: 0 } });
    const all = await broken({ fault: { truncate: 1_000_000 } });

    const [head, whole] = [await nothing.call(), await all.call()];

    expect([head.status, head.body.length, head.complete]).toEqual([200, 0, false]);
    expect([whole.complete, JSON.parse(whole.body.toString())]).toMatchObject([true, { organization: {} }]);
  });

  it('also truncates an error of the service and a reply of the rule', async () => {
    const failing = await broken({ fault: { truncate: 5 } });
    const replying = await broken({ reply: { error: 'unavailable' }, fault: { truncate: 5 } });

    const [notFound, unavailable] = [
      await failing.call('/api/v1/organizations/org_9'),
      await replying.call(),
    ];

    expect(notFound).toMatchObject({ status: 404, complete: false });
    expect(unavailable).toMatchObject({ status: 503, complete: false });
    expect(unavailable.body).toHaveLength(5);
  });

  it('leaves the whole body in the journal', async () => {
    const sim = await broken({ fault: { truncate: 5 } });
    await sim.call();

    const entry = await lastEntry(sim);

    expect(entry).toMatchObject({
      status: 200,
      fault: { truncate: 5 },
      response: { body: { organization: {} } },
    });
  });
});

describe('garbage', () => {
  it('has good headers, is not JSON, and is the same for the same seed', async () => {
    const [one, two] = [
      await broken({ fault: { garbage: true } }),
      await broken({ fault: { garbage: true } }),
    ];

    const [first, second, again] = [await one.call(), await one.call(), await two.call()];

    expect(first).toMatchObject({ status: 200, complete: true });
    expect(first.headers!['content-type']).toMatch('application/json');
    expect(() => JSON.parse(first.body.toString())).toThrow(SyntaxError);
    expect(again.body).toEqual(first.body);
    expect(second.body).not.toEqual(first.body);
  });
});

describe('dribble', () => {
  it('sends the whole body in pieces', async () => {
    const sim = await broken({ fault: { dribble: { chunks: 3, over: '9ms' } } });

    const { chunks, body } = await new Promise<{ chunks: number; body: string }>((resolve) => {
      const headers = { authorization: `Bearer ${sim.token}` };
      get({ port: sim.port, path: ORGANIZATION, headers, agent: false }, (response) => {
        const texts: string[] = [];
        response.on('data', (chunk: Buffer) => texts.push(chunk.toString()));
        response.on('end', () => resolve({ chunks: texts.length, body: texts.join('') }));
      });
    });

    expect(chunks).toBe(3);
    expect(JSON.parse(body)).toMatchObject({ organization: { id: 'org_10000000000000001' } });
  });

  it('ends when the client disconnects', async () => {
    const sim = await broken({ fault: { dribble: { chunks: 2, over: '1h' } } });
    const socket = connect(sim.port, '127.0.0.1');
    socket.write(`GET ${ORGANIZATION} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${sim.token}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));

    socket.destroy();

    await emptied(sim.server);
  });
});

describe('delay', () => {
  it('ends when the client disconnects: nothing happens, and the journal says so', async () => {
    const sim = await broken({ on: 'UserService_DeleteUser', fault: { delay: '1h' } });
    const socket = connect(sim.port, '127.0.0.1');
    socket.write(`DELETE ${DELETE_USER} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${sim.token}\r\n\r\n`);
    await eventuallyHolds(async () =>
      expect(await lastEntry(sim)).toMatchObject({ operation: 'UserService_DeleteUser' }),
    );

    socket.destroy();

    await eventuallyHolds(async () => expect(await lastEntry(sim)).toHaveProperty('fault'));
    expect(await lastEntry(sim)).toMatchObject({ fault: { delay_ms: 3_600_000, abandoned: true } });
    expect(await lastEntry(sim)).not.toHaveProperty('status');
    await sim.api.get(DELETE_USER).expect(200);
    await emptied(sim.server);
  });

  it('does not hold up a stopping server', async () => {
    const sim = await broken({ fault: { delay: '1h' } });
    const listener = await listen(sim.understudy, { host: '127.0.0.1', port: 0 });
    const answer = fetch(`${listener.url}${ORGANIZATION}`, {
      headers: { authorization: `Bearer ${sim.token}` },
    });
    const failed = answer.then(
      () => false,
      () => true,
    );
    await eventuallyHolds(async () => expect(await lastEntry(sim)).toMatchObject({ operation: GET }));

    await listener.stop(1);

    expect(await failed).toBe(true);
    await eventuallyHolds(async () => expect(await lastEntry(sim)).toHaveProperty('fault.abandoned'));
  });

  it('is in the journal', async () => {
    const sim = await broken({ fault: { delay: '2ms' } });
    await sim.call();

    const entry = await lastEntry(sim);

    expect(entry).toMatchObject({ status: 200, fault: { delay_ms: 2 } });
  });

  it('is drawn from a lognormal distribution around its median', async () => {
    const draws = [0.5, 0];
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const rule = '{ on: "*", fault: { delay: { lognormal: { median: 100ms, sigma: 1 } } } }';
    const done = vi.fn();
    void load(`name: a\nrules: [${rule}]`, () => draws.shift()!)
      .outcomeFor(facts(GET))
      .apply?.()
      .then(done);

    // e to the power of the square root of 2 ln 2 is 3.2.
    await vi.advanceTimersByTimeAsync(324);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledOnce();
  });
});

/** Waits until the server has no open connection. */
const emptied = (server: Server) =>
  eventuallyHolds(async () => {
    const count = await new Promise<number>((resolve) => server.getConnections((_, open) => resolve(open)));
    expect(count).toBe(0);
  });

describe('an invalid fault', () => {
  const rule = (lines: string) => `name: test\nrules:\n  - on: "*"\n    ${lines}\n`;

  it.each([
    [
      'two ways to break the response',
      'fault: { disconnect: middle, truncate: 3 }',
      '4:34 rules[0].fault.truncate: a fault breaks the answer in one way only: this one has disconnect already',
    ],
    [
      'a reply that is never sent',
      'fault: { disconnect: before }\n    reply: { error: gone }',
      '5:5 rules[0].reply: has no effect: the fault is disconnect before',
    ],
    ['an empty fault', 'fault: {}', '4:12 rules[0].fault: must NOT have fewer than 1 properties'],
    [
      'an unknown value of `disconnect`',
      'fault: { disconnect: midle }',
      '4:26 rules[0].fault.disconnect: unknown value midle; did you mean middle?',
    ],
    [
      'a negative length in `truncate`',
      'fault: { truncate: -1 }',
      '4:24 rules[0].fault.truncate: must be how many bytes of the body are sent',
    ],
    [
      'a dribble without `over`',
      'fault: { dribble: { chunks: 3 } }',
      '4:23 rules[0].fault.dribble: over is missing',
    ],
    [
      'a dribble of more than an hour',
      'fault: { dribble: { chunks: 3, over: 2d } }',
      '4:42 rules[0].fault.dribble.over: an answer takes an hour at most',
    ],
    [
      'two kinds of delay',
      'fault: { delay: { uniform: [1s, 2s], lognormal: { median: 1s, sigma: 1 } } }',
      '4:21 rules[0].fault.delay: must be a duration such as 300ms, 5s or 25h',
    ],
    [
      'a delay of more than an hour',
      'fault: { delay: { lognormal: { median: 1d, sigma: 1 } } }',
      '4:44 rules[0].fault.delay.lognormal.median: a call waits for an hour at most',
    ],
    [
      'a delay whose bounds are in the wrong order',
      'fault: { delay: { uniform: [2s, 1s] } }',
      '4:32 rules[0].fault.delay.uniform: the shortest must come first',
    ],
  ])('is reported for %s', (_, lines, expected) => {
    const complaints = complain(rule(lines));

    expect(complaints).toEqual([expected]);
  });
});
