import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  ConnectionError,
  ControlClient,
  ControlError,
  unchecked,
  VerificationError,
  WaitError,
  type ItemList,
  type RequestMatch,
} from 'understudy-server/control';
import { startUnderstudy, type TestEnvironment, type Understudy } from 'understudy-server/testing';
import { controlRoutes } from '../../src/contract/control-routes.gen.ts';
import { freePort } from '../support/process.ts';
import { walk } from './walk.ts';

let sim: Understudy;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-test-'));
  sim = await startUnderstudy({ scenarioFolders: [folder] });
  return async () => {
    await sim.stop();
    rmSync(folder, { recursive: true });
  };
});

/** Creates an environment that is deleted after the test. */
async function environment(): Promise<TestEnvironment> {
  const made = await sim.environment();
  onTestFinished(() => made.drop());
  return made;
}

/** Starts another server, which is not Understudy. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it was not refused'),
    (thrown: unknown) => thrown as ControlError,
  );

const sendCode = async (env: TestEnvironment, email: string) =>
  fetch(`${env.url}/api/v1/passwordless/email/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await env.accessToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email, template: 'SIGNIN' }),
  });

const OUTGOING_CALL = {
  kind: 'back_channel_logout',
  url: 'https://app.example/logout',
  content: {},
  status: 'FAILED',
  attempts: [],
  created_at: '2030-01-01T00:00:00.000Z',
} as const;

/** A client that records the method and path of each call. */
function recordingClient(name: string): { control: ControlClient; made: string[] } {
  const made: string[] = [];
  const tell: typeof fetch = (url, init) => {
    made.push(`${init?.method} ${new URL(url as string).pathname}`);
    return fetch(url, init);
  };
  return { control: new ControlClient(sim.url, { environment: name, fetch: tell }), made };
}

describe('ControlClient', () => {
  it('has a method for every operation of the document, which calls the documented path', async () => {
    const env = await environment();
    const { control, made } = recordingClient(env.name);
    await fetch(`${env.url}/api/v1/organizations`, { headers: env.headers });
    await sendCode(env, 'ada@acme.example');

    for (const [id, call] of Object.entries(walk)) {
      await call(control);

      const { method, path, ofEnvironment } = controlRoutes[id as keyof typeof controlRoutes];
      const prefix = path.startsWith('/_control/') ? '' : '/_control/v1';
      const place = `${prefix}${ofEnvironment ? `/environments/${env.name}` : ''}${path}`;
      expect(made.splice(0)).toContainEqual(
        expect.stringMatching(new RegExp(`^${method} ${place.replace(/\{\w+\}/g, '[^/]+')}$`)),
      );
    }
    expect(Object.keys(walk).toSorted()).toEqual(Object.keys(controlRoutes).toSorted());
  });

  it('uses the environment `default`, or the one it is given', async () => {
    const { name } = await environment();
    const one = sim.control.environment(name);

    const clock = await one.clock.freeze('2031-05-05T00:00:00Z');

    expect(clock).toMatchObject({ mode: 'frozen', now: '2031-05-05T00:00:00.000Z' });
    expect(await sim.control.clock.get()).toMatchObject({ mode: 'real' });
    expect(await one.get()).toMatchObject({ name, base_url: sim.url });
  });

  it('escapes an id in a path', async () => {
    const { state } = await environment();

    const error = await caught(state.get('organizations', 'a/b?c d'));

    expect(error.message).toMatch(/^\S+ a\/b\?c d not found/);
  });

  it('sends parameter values of a scenario', async () => {
    const { scenarios } = await environment();

    const error = await caught(scenarios.load(unchecked('slow-answers'), { tempo: 7 }));

    expect(error.message).toMatch(/scenario slow-answers has no parameter tempo/);
  });

  it('reads the coverage as JSON and as an HTML page', async () => {
    const { name } = await environment();
    const one = sim.control.environment(name);

    const [report, page] = await Promise.all([one.coverage(), one.coveragePage()]);

    expect(report.summary).toMatchObject({ calls: 0, operations: { covered: 0 } });
    expect(page).toMatch(/^<!doctype html>/i);
  });

  it('loads a scenario from YAML', async () => {
    const { scenarios } = await environment();

    await scenarios.loadYaml(
      'name: mine\nrules:\n  - on: UserService_ListUsers\n    reply: { error: gone }\n',
    );

    expect(await scenarios.get('mine')).toMatchObject({ rules: [{ on: 'UserService_ListUsers', hits: 0 }] });
  });

  it('lists, finds, waits for and clears requests, mails, outgoing calls and deliveries in the same way', async () => {
    const env = await environment();
    const { id: endpoint } = await env.webhooks.inbox();
    const rename = (display_name: string) =>
      env.state.patch('organizations', 'org_10000000000000001', { display_name }, { events: true });
    await rename('One');
    await rename('Two');
    await sendCode(env, 'ada@acme.example');
    await sendCode(env, 'bob@other.example');
    await env.state.put('outgoing_calls', 'out_1', OUTGOING_CALL);
    await env.state.put('outgoing_calls', 'out_2', OUTGOING_CALL);
    const lists = [
      [env.requests, { operation: 'PasswordlessService_*' }],
      [env.mail, { kind: 'passwordless' }],
      [env.outgoing, { status: 'FAILED' }],
      [env.webhooks.deliveries, { endpoint, status: 'SUCCESS' }],
    ] as unknown as [ItemList<{ id: string }, object>, object][];
    await env.webhooks.deliveries.waitForCount(2, { endpoint }, { timeout: '2m' });

    for (const [items, filter] of lists) {
      const [first, second, ...more] = await items.list(filter);
      expect(more).toEqual([]);
      expect(await items.find(filter)).toEqual(second);
      expect(await items.get(first!.id)).toMatchObject(first!); // with its `why`, or its HTML
      expect(await items.wait(filter)).toEqual(second);
      expect(await items.wait({ ...filter, since: first!.id })).toEqual(second);
      expect(await caught(items.wait({ since: second!.id }, { timeout: 0 }))).toBeInstanceOf(WaitError);
      await (items as unknown as { clear(): Promise<void> }).clear();
      expect(await items.find(filter)).toBeUndefined();
    }
  });

  it('returns each delivery to an inbox once, ready for signature verification', async () => {
    const { state, webhooks } = await environment();
    const inbox = await webhooks.inbox({ eventTypes: ['organization.*'] });
    const id = 'org_10000000000000001';
    const rename = (display_name: string) =>
      state.patch('organizations', id, { display_name }, { events: true });

    const [first] = await Promise.all([inbox.next(undefined, { timeout: '2m' }), rename('One')]);
    const [second] = await Promise.all([
      inbox.next('organization.updated', { timeout: '2m' }),
      rename('Two'),
    ]);

    expect([first, second].map(({ payload }) => payload)).toMatchObject([
      { type: 'organization.updated', data: { display_name: 'One' } },
      { type: 'organization.updated', data: { display_name: 'Two' } },
    ]);
    expect(new Webhook(inbox.secret).verify(second.body, second.headers)).toEqual(second.payload);
    expect(await caught(inbox.next(undefined, { timeout: '1ms' }))).toBeInstanceOf(WaitError);
  });

  it('sends the control token', async () => {
    const closed = await startUnderstudy({ controlToken: 'sesame' });
    onTestFinished(() => closed.stop());

    expect(await caught(new ControlClient(closed.url).clock.get())).toMatchObject({ status: 401 });
    expect(await new ControlClient(closed.url, { token: 'sesame' }).clock.get()).toMatchObject({
      mode: 'real',
    });
  });
});

describe('an error of the control client', () => {
  it('lists the field violations and the call', async () => {
    const { clock, name } = await environment();

    const error = await caught(clock.advance(unchecked('25 hours')));

    expect(error).toBeInstanceOf(ControlError);
    expect(error).toMatchObject({ name: 'ControlError', status: 400, errorCode: 'INVALID_ARGUMENT' });
    expect(error.violations).toMatchObject([{ field: 'by' }]);
    expect(error.message.split('\n')).toEqual([
      'Validation error',
      `  by: ${error.violations[0]!.description}`,
      `  (400 INVALID_ARGUMENT from POST ${sim.url}/_control/v1/environments/${name}/clock/advance)`,
    ]);
  });

  it('has the suggestion of the service', async () => {
    const { scenarios } = await environment();

    const error = await caught(scenarios.load(unchecked('invite-expird')));

    expect(error.message).toMatch(/invite-expired/);
  });

  it('is a WaitError that lists what arrived when a wait times out', async () => {
    const env = await environment();
    await sendCode(env, 'bob@other.example');

    const mail = await caught(env.mail.wait({ to: 'ada@acme.example' }, { timeout: 0 }));
    const calls = await caught(
      env.requests.waitForCount(2, { path: '/api/v1/passwordless/*/send' }, { timeout: '1ms' }),
    );

    expect([mail, calls].map((error) => error instanceof WaitError)).toEqual([true, true]);
    expect(mail.message).toContain('\n  other mail: passwordless to bob@other.example, "');
    expect(calls.message).toContain('\n  POST /api/v1/passwordless/email/send 200 (');
  });

  it('is a VerificationError that shows the differing fields', async () => {
    const env = await environment();
    await sendCode(env, 'bob@other.example');
    const match: RequestMatch = {
      operation: 'PasswordlessService_Send*',
      body: { email: 'ada@acme.example', state: 'x' },
    };

    const error = await caught(env.requests.verify(match));

    expect(error).toBeInstanceOf(VerificationError);
    expect(error).toMatchObject({ status: 422, count: 0, nearest: [{ status: 200 }] });
    expect(error.message.split('\n')).toEqual([
      'expected at least 1 call that matches, saw 0',
      'the nearest:',
      expect.stringMatching(/^ {2}POST \/api\/v1\/passwordless\/email\/send 200 \(\S+\)$/),
      '    body.email  expected "ada@acme.example"',
      '                was      "bob@other.example"',
      '    body.state  expected "x"',
      '                was      absent',
      expect.stringContaining('(422 FAILED_PRECONDITION from POST '),
    ]);
  });

  it('is a WaitError that shows the nearest calls', async () => {
    const env = await environment();
    await sendCode(env, 'bob@other.example');

    const wanted = { operation: 'PasswordlessService_Send*', status: 404 } as const;
    const error = await caught(env.requests.wait(wanted, { timeout: '10ms' }));

    expect(error).toBeInstanceOf(WaitError);
    expect(error.message).toContain('\n    status  expected "404"\n            was      200\n');
  });

  it('lists each error of a scenario once', async () => {
    const env = await environment();

    const error = await caught(env.scenario(unchecked({ name: 'mine', ruls: [] })));

    expect(error.message.split('unknown key ruls')).toHaveLength(2);
    expect(error.violations).toMatchObject([{ field: 'ruls' }]);
  });

  it('is a VerificationError that lists the matching calls when there are too many', async () => {
    const env = await environment();
    await sendCode(env, 'bob@other.example');
    const [call] = await env.requests.list({ path: '/api/*' });

    const error = await caught(env.requests.verify({ path: '/api/*' }, { times: 0 }));

    expect(await env.requests.verify({ path: '/api/*' }, { times: 1 })).toBe(1);
    expect(error.message).toContain(`saw 1\n  those that match: ${call!.id}\n`);
  });

  it('is a ConnectionError when nothing listens', async () => {
    const port = await freePort();

    const error = await caught(new ControlClient(`http://127.0.0.1:${port}/`).health());

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      `GET http://127.0.0.1:${port}/_control/v1/health: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
  });

  it('is a ConnectionError when another server responds', async () => {
    const url = await listen((_, response) => response.writeHead(404).end('<h1>nginx</h1>'));

    const error = await caught(new ControlClient(url).health());

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(`no Understudy at GET ${url}/_control/v1/health: 404 <h1>nginx</h1>`);
  });

  it('is a ConnectionError when the response takes too long', async () => {
    const url = await listen(() => {});

    const error = await caught(new ControlClient(url, { timeout: 20 }).health());

    expect(error).toMatchObject({
      name: 'ConnectionError',
      message: `GET ${url}/_control/v1/health: no answer within 20 ms`,
    });
  });

  it('is the abort reason when the caller aborts', async () => {
    const url = await listen(() => {});
    const [one, all] = [new AbortController(), new AbortController()];
    const client = new ControlClient(url, { signal: all.signal });

    const calls = [client.health({ signal: one.signal }), client.clock.get()].map(caught);
    one.abort();
    all.abort(new Error('the run is over'));

    expect(await Promise.all(calls)).toMatchObject([{ name: 'AbortError' }, { message: 'the run is over' }]);
  });
});
