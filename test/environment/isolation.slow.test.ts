import { once } from 'node:events';
import { Agent as Connections, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boot } from '../support/boot.ts';

const LIST = '/api/v1/organizations';
const CONTROL = '/_control/v1';

interface Heard {
  status: number;
  text: string;
}
type Send = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: object | URLSearchParams,
) => Promise<Heard>;

/** A simulator behind a port, called over kept-alive connections. */
async function serve(): Promise<Send> {
  const { understudy } = await boot({ fixture: 'empty', baseUrl: 'https://idp.example' });
  const server = createServer(understudy.app).listen(0, '127.0.0.1');
  server.keepAliveTimeout = 0; // a connection that closes just before it is reused would be an error
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = new Connections({ keepAlive: true, maxSockets: 50 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  return (method, path, headers = {}, body) =>
    new Promise((resolve, reject) => {
      const isForm = body instanceof URLSearchParams;
      const payload = body && (isForm ? String(body) : JSON.stringify(body));
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      const content = payload && { 'content-type': type, 'content-length': Buffer.byteLength(payload) };
      const asking = request(`${url}${path}`, {
        method,
        agent,
        headers: { ...headers, ...content },
      });
      asking.on('error', reject);
      asking.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode!, text }));
      });
      asking.end(payload);
    });
}

/** Runs one test suite in its own environment and returns all responses. */
async function suite(send: Send, name: string, seed: number): Promise<Heard[]> {
  const heard: Heard[] = [];
  const say = async (...call: Parameters<Send>) => {
    const answer = await send(...call);
    // These depend on the machine's clock: offset_ms of a frozen clock, and the age of an environment.
    const text = answer.text.replace(/"offset_ms":\d+|"created_at":"[^"]*","last_used_at":"[^"]*"/g, '');
    heard.push({ ...answer, text });
    return JSON.parse(answer.text || '{}') as Record<string, string>;
  };
  const control = (method: string, path: string, body?: object) =>
    say(method, `${CONTROL}${path}`, { 'understudy-environment': name }, body);

  const clock = { mode: 'frozen', at: new Date(Date.UTC(2030, 0, seed)).toISOString() };
  const { client_id = '', client_secret = '' } = await say(
    'POST',
    `${CONTROL}/environments`,
    {},
    { name, seed, clock },
  );
  const login = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const { access_token } = await say('POST', '/oauth/token', {}, login);
  const api = (method: string, path: string, body?: object) =>
    say(method, path, { authorization: `Bearer ${access_token}` }, body);
  const create = (suffix: string) => api('POST', LIST, { display_name: `${name} ${suffix}` });

  await create('one');
  await control('POST', '/snapshots', { name: 'one' });
  await control('GET', '/state/hash');
  const rules = [{ on: 'OrganizationService_CreateOrganization', times: 1, reply: { error: 'unavailable' } }];
  await control('POST', '/scenarios', { name: 'outage', rules });
  await create('refused');
  await create('two');
  await control('POST', '/clock/advance', { by: `${seed}m` });
  await api('GET', LIST);
  await control('POST', '/snapshots/one/restore');
  await control('GET', '/state/hash');
  await control('GET', '/scenarios');
  await api('GET', LIST);
  await control('PATCH', '/state/settings/settings', { rate_limit: { requests: 1, per: '1m' } });
  await api('GET', LIST);
  await api('GET', LIST);
  await api('GET', LIST);
  await control('POST', '/reset');
  await control('GET', '/state/hash');
  await create('three');
  await api('GET', LIST);
  await control('GET', '/clock');
  return heard;
}

describe('environments', () => {
  it('give fifty parallel suites byte for byte the same responses as each suite alone', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `suite-${i + 1}`);
    const [together, alone] = [await serve(), await serve()];

    const atOnce = await Promise.all(names.map((name, i) => suite(together, name, i + 1)));

    for (let i = 0; i < 50; i += 7) expect(atOnce[i]).toEqual(await suite(alone, names[i]!, i + 1));
    const statuses = new Set(atOnce.map((heard) => JSON.stringify(heard.map(({ status }) => status))));
    expect([...statuses]).toEqual([
      '[201,200,201,201,200,201,503,201,200,200,204,200,200,200,200,200,429,429,204,200,201,200,200]',
    ]);
  }, 120_000);

  it('are independent: a thousand exist at once, each with its own rows', async () => {
    const send = await serve();
    const there = (name: string) => ({ 'understudy-environment': name });
    const at = new Date(Date.UTC(2030, 0, 1)).toISOString();
    const names = Array.from({ length: 1000 }, (_, i) => `env-${i + 1}`);

    const made = await Promise.all(
      names.map((name) => send('POST', `${CONTROL}/environments`, {}, { name })),
    );
    const refused = await send('POST', `${CONTROL}/environments`, {}, {});
    await Promise.all(
      names.map((name) =>
        send('PUT', `${CONTROL}/state/organizations/org_1`, there(name), {
          display_name: name,
          region_code: 'US',
          metadata: {},
          create_time: at,
          update_time: at,
        }),
      ),
    );

    expect(made.every(({ status }) => status === 201)).toBe(true);
    expect(refused.status).toBe(400);
    const rows = await Promise.all(
      names.map((name) => send('GET', `${CONTROL}/state/organizations`, there(name))),
    );
    expect(
      rows.map(({ text }) => JSON.parse(text).rows.map((row: { display_name: string }) => row.display_name)),
    ).toEqual(names.map((name) => [name]));
    expect(JSON.parse((await send('GET', `${CONTROL}/state/organizations`)).text).rows).toEqual([]);
  }, 120_000);
});
