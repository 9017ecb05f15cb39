import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import supertest from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  connectUnderstudy,
  startUnderstudy,
  type StartOptions,
  type TestControls,
  type Understudy,
  unchecked,
} from 'understudy-server/testing';
import { eventually, follow, freePort, makeFolder, run } from '../support/process.ts';
import { ACME } from '../support/fixture-ids.ts';

const MODES = ['in-process', 'child-process'] as const;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

async function started(options: StartOptions = {}): Promise<Understudy> {
  const sim = await startUnderstudy(options);
  onTestFinished(() => sim.stop());
  return sim;
}

/** Makes a call as the application under test does, with only the URL and a token. */
async function ask(env: TestControls, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${await env.accessToken()}` };
  return (await fetch(`${env.url}${path}`, { headers })).status;
}

const isReached = (url: string) =>
  fetch(`${url}/_control/v1/health`).then(
    () => true,
    () => false,
  );

describe('shareSimulator', () => {
  it('starts a simulator that test files find, and that ends with the process', async () => {
    const testing = JSON.stringify(join(import.meta.dirname, '..', '..', 'dist', 'testing.js'));
    const file = join(makeFolder(), 'own.mjs');
    const text = `import { shareSimulator, connectUnderstudy } from ${testing};
await shareSimulator({ strict: true });
const url = process.env.UNDERSTUDY_URL;
await shareSimulator(); // joins the one that runs
console.log(JSON.stringify([url, (await connectUnderstudy(url)).url, process.env.UNDERSTUDY_URL]));`;
    writeFileSync(file, text);

    const { code, stdout } = await run([], { program: file });

    const urls = JSON.parse(stdout) as string[];
    expect([code, new Set(urls).size]).toEqual([0, 1]);
    await eventually(
      () => isReached(urls[0]!),
      (isAlive) => !isAlive,
    );
  });
});

describe.each(MODES)('startUnderstudy in mode %s', (mode) => {
  it('serves on a free port without output until it is stopped', async () => {
    const write = vi.spyOn(process.stdout, 'write');
    onTestFinished(() => write.mockRestore());
    const listeners = process.listenerCount('SIGTERM');

    const [one, other] = await Promise.all([started({ mode }), started({ mode })]);

    expect(await Promise.all([ask(one, '/api/v1/users'), ask(other, '/api/v1/users')])).toEqual([200, 200]);
    expect(one.url).not.toBe(other.url);
    expect(write).not.toHaveBeenCalled();
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
    await Promise.all([one.stop(), one.stop()]);
    expect(await Promise.all([isReached(one.url), isReached(other.url)])).toEqual([false, true]);
  });

  it('uses its options', async () => {
    const folder = makeFolder();
    const port = await freePort();
    const lines: string[] = [];
    const options = { clientId: 'skc_1', clientSecret: 'test_1', controlToken: 'sesame', strict: true };

    const sim = await started({
      mode,
      port,
      host: 'localhost',
      data: folder,
      fixture: 'empty',
      scenarios: ['rate-limit-once'],
      seed: 7,
      webhooks: ['http://localhost:9/hooks'],
      webhookSecret: SECRET,
      webhookAllow: ['localhost'],
      log: (line) => lines.push(line),
      ...options,
    });

    expect(sim).toMatchObject({ url: `http://localhost:${port}`, clientId: 'skc_1', clientSecret: 'test_1' });
    expect(await ask(sim, '/api/v1/organizations')).toBe(429);
    expect(await ask(sim, '/api/v1/organizations?page_sise=1')).toBe(400);
    expect(await sim.state.list('organizations')).toEqual([]);
    const told = [expect.objectContaining({ url: 'http://localhost:9/hooks', secret: SECRET })];
    expect(await sim.webhooks.endpoints()).toEqual(told);
    expect(await (await sim.environment()).webhooks.endpoints()).toEqual(told);
    expect(existsSync(join(folder, 'default.json')) || existsSync(join(folder, 'default.log'))).toBe(true);
  });

  it('explains why it cannot start', async () => {
    const { url } = await started({ mode });
    const port = Number(new URL(url).port);

    await expect(startUnderstudy({ mode, port })).rejects.toThrow(
      `port ${port} is taken on 127.0.0.1: choose another with the option port`,
    );
    await expect(startUnderstudy({ mode, fixture: unchecked('defualt') })).rejects.toThrow(
      /defualt.*default/s,
    );
    await expect(startUnderstudy({ mode, webhooks: ['localhost:3000'] })).rejects.toThrow(
      'the option webhooks: localhost:3000 is not an http or https address',
    );
    await expect(startUnderstudy({ mode, webhookAllow: ['app/'] })).rejects.toThrow(
      'the option webhookAllow: app/ is not a host: it must be a name',
    );
    await expect(startUnderstudy({ mode, fixtur: 'x' } as object)).rejects.toThrow(
      'startUnderstudy has no option fixtur; did you mean fixture?',
    );
  });

  it('logs calls only when logLevel is info', async () => {
    const told: string[] = [];
    const log = (line: string) => void told.push(line);
    const quiet = await started({ mode, log });
    await ask(quiet, '/api/v1/users');
    await quiet.stop();
    expect(told).toEqual([]);

    const loud = await started({ mode, log, logLevel: 'info' });
    await ask(loud, '/api/v1/users');
    await loud.stop();
    expect(told.join('')).toMatch(
      /^info: GET \/api\/v1\/users 200 UserService_\w+ [\d.]+ ms default req_\d+$/m,
    );
  });

  it('rejects stop() because of unused rules with failOnUnusedRules', async () => {
    const sim = await startUnderstudy({ mode, failOnUnusedRules: true, scenarios: ['rate-limit-once'] });

    await expect(sim.stop()).rejects.toThrow(/rate-limit-once/);
  });

  it('writes a report at the stop, and uses baseUrl, redact and the options of the journal', async () => {
    const file = join(makeFolder(), 'run.xml');
    const port = await freePort();
    const baseUrl = `http://localhost:${port}`;
    const options = { port, baseUrl, redact: false, journalEntries: 2, environmentTtl: 0, report: [file] };
    const sim = await startUnderstudy({ mode, ...options });
    const control = supertest(sim.url);

    const { body } = await control.get('/.well-known/openid-configuration').expect(200);
    const secret = { grant_type: 'client_credentials', client_id: 'skc_1', client_secret: 'shown' };
    await control.post('/oauth/token').type('form').send(secret).expect(401);
    await control.get('/keys').expect(200);
    const { body: journal } = await control.get('/_control/v1/requests').expect(200);
    await sim.stop();

    expect(body.issuer).toBe(baseUrl);
    expect(journal.requests).toHaveLength(2);
    expect(JSON.stringify(journal)).toContain('"client_secret":"shown"');
    expect(readFileSync(file, 'utf8')).toContain('<testsuite');
  });

  it('uses fixtureFolders, controlOrigins and allowHosts', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'mine.json'), JSON.stringify({ include: ['empty'] }));
    const origin = 'http://app.example:3000';
    const sim = await started({
      mode,
      fixtureFolders: [folder],
      controlOrigins: [origin],
      allowHosts: ['understudy'],
    });

    const mine = await sim.environment({ fixture: unchecked('mine') });

    expect(await mine.state.list('organizations')).toEqual([]);
    const statusOf = async (headers: Record<string, string>) =>
      (await supertest(sim.url).get('/_control/v1/clock').set(headers)).status;

    expect(await statusOf({ host: 'understudy', origin })).toBe(200);
    expect(await statusOf({ host: 'other', origin })).toBe(421);
    expect(await statusOf({ origin: 'http://other.example' })).toBe(403);
  });

  it('ignores environment variables of the command line', async () => {
    vi.stubEnv('UNDERSTUDY_FIXTURE', 'nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());

    expect(await ask(await started({ mode }), '/api/v1/users')).toBe(200);
  });

  it('stops at the end of an `await using` block', async () => {
    let url = '';
    {
      await using sim = await startUnderstudy({ mode });
      ({ url } = sim);
      expect(await isReached(url)).toBe(true);
    }

    expect(await isReached(url)).toBe(false);
  });
});

describe('a service in mode child-process', () => {
  it('ends with its parent process, even when that is killed', async () => {
    const text = `
      import { startUnderstudy } from 'understudy-server/testing';
      console.log((await startUnderstudy({ mode: 'child-process' })).url);`;
    const args = ['--input-type=module', '--eval', text];
    const { child, line } = follow(
      spawn(process.execPath, args, { cwd: join(import.meta.dirname, '../..') }),
    );
    const url = await line(/^http.*$/m);
    expect(await isReached(url)).toBe(true);

    child.kill('SIGKILL');

    await eventually(
      () => isReached(url),
      (reached) => !reached,
    );
  });
});

describe('an environment of startUnderstudy', () => {
  it('is independent, and is selected by the credentials of its client', async () => {
    const sim = await started();
    const [one, other] = await Promise.all([sim.environment(), sim.environment({ fixture: 'empty' })]);

    await one.scenario('rate-limit-once');
    const statuses = [
      await ask(one, `/api/v1/organizations/${ACME}`),
      await ask(one, `/api/v1/organizations/${ACME}`),
      await ask(other, `/api/v1/organizations/${ACME}`),
      await ask(sim, `/api/v1/organizations/${ACME}`),
    ];

    expect(statuses).toEqual([429, 200, 404, 200]);
    expect(await one.requests.list({ operation: 'OrganizationService_*' })).toHaveLength(2);
  });

  it('is selected by its browserUrl and by its headers', async () => {
    const sim = await started();
    const env = await sim.environment({ name: 'worker-1' });
    const { port } = new URL(sim.url);
    expect(env).toMatchObject({
      url: sim.url,
      browserUrl: `http://worker-1.localhost:${port}`,
      headers: { 'understudy-environment': 'worker-1' },
    });
    expect(sim.browserUrl).toBe(`http://localhost:${port}`);

    await fetch(`${env.url}/api/v1/users`, { headers: env.headers });

    expect(await env.requests.list()).toMatchObject([{ status: 401 }]);
  });

  it('takes a time for a frozen clock', async () => {
    const sim = await started();
    const envs = await Promise.all([
      sim.environment({ clock: '2031-01-01T00:00:00Z' }),
      sim.environment({ clock: new Date('2032-01-01T00:00:00Z') }),
      sim.environment({ clock: { mode: 'real' } }),
    ]);

    const clocks = await Promise.all(envs.map((env) => env.clock.get()));

    expect(clocks).toMatchObject([
      { mode: 'frozen', now: '2031-01-01T00:00:00.000Z' },
      { mode: 'frozen', now: '2032-01-01T00:00:00.000Z' },
      { mode: 'real' },
    ]);
  });

  it('can be reset and dropped; a second drop has no effect', async () => {
    const sim = await started();
    const env = await sim.environment();
    const hash = await env.state.hash();
    await env.state.delete('organizations', ACME);
    expect(await env.state.hash()).not.toBe(hash);

    await env.reset();
    const after = await env.state.hash();
    await env.drop();
    await env.drop();

    expect(after).toBe(hash);
    await expect(env.clock.get()).rejects.toThrow(`environment ${env.name} not found`);
  });

  it('can be forked and restored from a snapshot', async () => {
    const sim = await started();
    const env = await sim.environment();
    await env.snapshots.take('untouched');
    await env.state.delete('organizations', ACME);

    const fork = await env.fork();
    await env.snapshots.restore('untouched');

    const statuses = [env, fork].map((each) => ask(each, `/api/v1/organizations/${ACME}`));
    expect(await Promise.all(statuses)).toEqual([200, 404]);
  });

  it('is dropped at the end of its block or function', async () => {
    const sim = await started();
    {
      await using env = await sim.environment({ name: 'block' });
      expect(await ask(env, '/api/v1/users')).toBe(200);
    }
    const failing = sim.withEnvironment(() => Promise.reject(new Error('the test fails')));

    await expect(failing).rejects.toThrow('the test fails');
    expect((await sim.control.environments.list()).map(({ name }) => name)).toEqual(['default']);
  });
});

describe('connectUnderstudy', () => {
  it('connects to a running service, which it does not stop', async () => {
    const sim = await started({ clientId: 'skc_2', clientSecret: 'test_2' });

    const joined = await connectUnderstudy(sim.url);
    const env = await joined.environment();
    await joined.stop();

    expect(joined).toMatchObject({
      url: sim.url,
      clientId: 'skc_2',
      clientSecret: 'test_2',
      name: 'default',
    });
    expect(await ask(env, '/api/v1/users')).toBe(200);
  });

  it('waits for a service that is about to start, up to its timeout', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await expect(connectUnderstudy(url, { timeout: 0 })).rejects.toThrow('ECONNREFUSED');

    const [joined] = await Promise.all([connectUnderstudy(url), started({ port })]);

    expect(await joined.control.health()).toMatchObject({ status: 'ok' });
  });
});
