import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEFAULTS } from '../../src/start/config.ts';
import { createUnderstudy } from '../../src/simulator.ts';
import { boot, tokenOf, type Agent } from '../support/boot.ts';
import { all, deliveries, eventually, listen, NOW, organization, receiver } from './support.ts';

const after = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

/** The seconds from the event to each attempt. */
const TIMES = [0, 5, 35, 155, 455, 1355];

const attempted = (count: number) => (found: readonly { attempts: unknown[] }[]) =>
  found[0]?.attempts.length === count;

afterEach(() => void vi.useRealTimers());

describe('a webhook delivery that fails', () => {
  it('is retried on schedule, six attempts in all', async () => {
    const machine = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: machine });
    const { api, control } = await boot({ now: NOW });
    const { received, url } = await receiver((response) => response.writeHead(503).end('later'));
    await listen(control, url);
    await organization(api, 'Acme');

    const waits: (string | undefined)[] = [];
    for (const [index, seconds] of TIMES.entries()) {
      if (index > 0) vi.setSystemTime(machine + index * 1000);
      await control
        .put('/clock')
        .send({ mode: 'frozen', at: after(seconds) })
        .expect(200);
      const [delivery] = await eventually(control, attempted(index + 1));
      waits.push(delivery!.next_attempt_at);
    }

    const [delivery] = await deliveries(control);
    expect(waits).toEqual([...TIMES.slice(1).map(after), undefined]);
    expect(delivery).toMatchObject({
      status: 'FAILED',
      attempts: TIMES.map((seconds) => ({ time: after(seconds), status: 503, answer: 'later' })),
    });
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery!.id]));
    expect(received.map(({ headers }) => Number(headers['webhook-timestamp']))).toEqual(
      TIMES.map((_, index) => Math.floor(machine / 1000) + index),
    );
    expect(new Set(received.map(({ headers }) => headers['webhook-signature'])).size).toBe(6);
  });

  it.each([
    ['six_attempts', [5, 30, 120, 300, 900]],
    ['four_attempts', [60, 300, 900]],
    ['eight_attempts', [5, 300, 1800, 7200, 18_000, 36_000, 36_000]],
    ['three_retries', [5, 30, 120]],
  ])('is retried with the pauses of the setting %s', async (webhook_retries, pauses) => {
    const { api, control } = await boot({ now: NOW });
    await control.patch('/state/settings/settings').send({ webhook_retries }).expect(200);
    const { url } = await receiver((response) => response.writeHead(503).end());
    await listen(control, url);
    await organization(api, 'Acme');
    await eventually(control, attempted(1));

    for (const [index, seconds] of pauses.entries()) {
      await control
        .post('/clock/advance')
        .send({ by: `${seconds}s` })
        .expect(200);
      await eventually(control, attempted(index + 2));
    }

    const times = pauses.map((_, index) => pauses.slice(0, index + 1).reduce((sum, each) => sum + each));
    const [delivery] = await deliveries(control);
    expect(delivery).toMatchObject({ status: 'FAILED' });
    expect(delivery!.attempts.map(({ time }) => time)).toEqual([NOW, ...times.map(after)]);
  });

  it('makes all six attempts at once when the clock moves far enough', async () => {
    const { api, control } = await boot({ now: NOW });
    const { received, url } = await receiver((response) => response.writeHead(500).end());
    await listen(control, url);
    await organization(api, 'Acme');
    await eventually(control, attempted(1));

    await control.post('/clock/advance').send({ by: '25m' }).expect(200);
    await eventually(control, all('FAILED'));

    expect(received).toHaveLength(6);
    await control.post('/clock/advance').send({ by: '30d' }).expect(200);
    expect(await deliveries(control)).toMatchObject([{ status: 'FAILED' }]);
  });

  it('succeeds as soon as the receiver accepts it', async () => {
    const { api, control } = await boot({ now: NOW });
    const { received, url } = await receiver((response) =>
      response.writeHead(received.length < 3 ? 429 : 204).end(),
    );
    await listen(control, url);
    await organization(api, 'Acme');
    await eventually(control, attempted(1));

    await control.post('/clock/advance').send({ by: '25m' }).expect(200);
    const [delivery] = await eventually(control, all('SUCCESS'));

    expect(delivery!.attempts.map(({ status }) => status)).toEqual([429, 429, 204]);
    expect(delivery!.next_attempt_at).toBeUndefined();
  });

  it.each([
    [301, { error: 'redirects are not followed' }],
    [400, {}],
    [410, {}],
  ])('is retried after the response %i', async (status, told) => {
    const { api, control } = await boot({ now: NOW });
    const { received, url } = await receiver((response) =>
      response.writeHead(status, { location: '/elsewhere' }).end(),
    );
    await listen(control, url);

    await organization(api, 'Acme');
    const [delivery] = await eventually(control, all('RETRYING'));

    expect(delivery!.attempts).toMatchObject([{ status, ...told }]);
    expect(received.map(({ url }) => url)).toEqual(['/hooks']);
  });

  it('is retried after a timeout', async () => {
    const { api, control } = await boot({ now: NOW });
    const { url } = await receiver(() => undefined);
    await listen(control, url);
    await control.patch('/state/settings/settings').send({ webhook_timeout: 50 }).expect(200);

    await organization(api, 'Acme');
    const [delivery] = await eventually(control, all('RETRYING'));

    expect(delivery!.attempts).toMatchObject([{ error: 'no answer within 0.05 s' }]);
  });

  it('is retried on a real clock without any call', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const { api, control } = await boot();
    const { came, url } = await receiver((response) => response.writeHead(500).end());
    await listen(control, url);
    await organization(api, 'Acme');
    await eventually(control, all('RETRYING'));

    await vi.advanceTimersByTimeAsync(5001);
    const received = await came(2);

    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });
});

describe('several webhook endpoints', () => {
  it('do not wait for an endpoint that does not respond', async () => {
    const { api, control } = await boot({ now: NOW });
    const [dead, well] = [await receiver(() => undefined), await receiver()];
    await listen(control, dead.url, {}, 'ep_dead');
    await listen(control, well.url, {}, 'ep_well');

    for (const name of ['a', 'b', 'c']) await organization(api, name);
    const found = await eventually(
      control,
      (each) => each.filter(({ status }) => status === 'SUCCESS').length === 3,
    );

    expect(well.received).toHaveLength(3);
    expect(dead.received).toHaveLength(1);
    expect(found.filter(({ status }) => status === 'QUEUED')).toHaveLength(3);
  });

  it('have at most max_in_flight open attempts each', async () => {
    const { api, control } = await boot({ now: NOW });
    const open: (() => void)[] = [];
    const { received, came, url } = await receiver((response) => void open.push(() => response.end()));
    await listen(control, url, { max_in_flight: 3 });
    for (let index = 0; index < 5; index += 1) await organization(api, `Acme ${index}`);

    await came(3);
    const { length } = received;
    while (open.length > 0 || received.length < 5) {
      open.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(control, all('SUCCESS', 5));

    expect([length, received.length]).toEqual([3, 5]);
  });
});

interface Parties {
  control: Agent;
  own: Agent;
}

describe('a waiting webhook delivery', () => {
  it('is deleted by a reset, also when its attempt is open', async () => {
    const { api, control } = await boot({ now: NOW });
    const { came, received, url } = await receiver(() => undefined);
    await listen(control, url);
    await organization(api, 'Acme');
    await came(1);

    await control.post('/reset').expect(204);
    const well = await receiver();
    await listen(control, well.url);
    await organization(api, 'Other');
    const found = await eventually(control, all('SUCCESS'));

    expect(found).toHaveLength(1);
    expect(received).toHaveLength(1);
  });

  it.each([
    ['its environment is reset', ({ own }: Parties) => own.post('/reset').expect(204)],
    [
      'its environment is deleted',
      ({ control }: Parties) => control.delete('/environments/suite').expect(204),
    ],
  ])('is aborted when %s', async (_, end) => {
    const { control, environment } = await boot();
    const { api, control: own } = await environment('suite');
    await own.patch('/state/settings/settings').send({ webhook_timeout: 60_000 }).expect(200);
    let cutOff: Promise<unknown> | undefined;
    const { came, url } = await receiver((response) => void (cutOff = once(response, 'close')));
    await listen(own, url);
    await organization(api, 'Acme');
    await came(1);

    await end({ control, own });

    await expect(cutOff).resolves.toEqual([]);
  });

  it('is sent after a restart with the same id when the environment is stored in a data folder', async () => {
    const data = await mkdtemp(join(tmpdir(), 'understudy-webhooks-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    let isUp = false;
    const { received, came, url } = await receiver((response) => void (isUp && response.end()));
    const start = () => createUnderstudy({ ...DEFAULTS, data, logLevel: 'silent' }, () => undefined);
    const first = await start();
    const agentOf = ({ app }: typeof first): Agent =>
      ({
        put: (path: string) => supertest(app).put(`/_control/v1${path}`),
        get: (path: string) => supertest(app).get(`/_control/v1${path}`),
      }) as Agent;
    await listen(agentOf(first), url);
    const authorization = `Bearer ${await tokenOf(first.app, DEFAULTS.credentials)}`;
    for (const display_name of ['a', 'b'])
      await supertest(first.app)
        .post('/api/v1/organizations')
        .set({ authorization })
        .send({ display_name })
        .expect(201);
    await came(1);
    await first.close();
    isUp = true;

    const second = await start();
    const found = await eventually(agentOf(second), all('SUCCESS', 2));
    await second.close();

    const [cutOff, ...later] = received.map(({ headers }) => headers['webhook-id']);
    expect(later).toEqual(found.map(({ id }) => id));
    expect(cutOff).toBe(found[0]!.id);
    expect(found.map(({ attempts }) => attempts.length)).toEqual([1, 1]);
  });
});
