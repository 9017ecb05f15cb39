import { describe, expect, it } from 'vitest';
import { ControlClient } from '@understudy/client/control';
import { boot, type Booted } from '../support/boot.ts';
import { addressOf } from '../support/listening.ts';

const ORGANIZATIONS = '/api/v1/organizations';

interface Found {
  requests: { id: string; path: string; status?: number; duration_ms: number }[];
  total: number;
  kept: number;
}

const find = async ({ control }: Pick<Booted, 'control'>, query: string): Promise<Found> =>
  (await control.get(`/requests?${query}`).expect(200)).body;

/** Two calls that create, one that fails, one without a token, and the call for the token. */
async function called() {
  const booted = await boot();
  const { api, anonymous } = booted;
  await api.post(ORGANIZATIONS).send({ display_name: 'Zürich "Globex"' }).expect(201);
  await api.post(ORGANIZATIONS).send({ display_name: 'Initech' }).expect(201);
  await api.get(`${ORGANIZATIONS}/org_404`).expect(404);
  await anonymous.get(ORGANIZATIONS).expect(401);
  return booted;
}

/** Puts calls into the journal without making them. */
function fillJournal({ own }: Booted, count: number, length: number): void {
  const body = new TextEncoder().encode('{}');
  const text = JSON.stringify({ padding: 'x'.repeat(length), needle: 'haystack' });
  for (let made = 0; made < count; made += 1) {
    const request = { protocol: 'http/1.1', method: 'GET', path: `/made/${made}`, query: {}, headers: {} };
    const entry = own.journal.open({ ...request, body, size: 2 }, 0);
    entry.close({ status: made % 400 === 0 ? 500 : 200, headers: {}, body: undefined, text });
  }
}

describe('Control_ListRequests', () => {
  it.each([
    ['words of the request body, in any case and order', 'contains=GLOBEX%20zürich', 1],
    ['words of the answer', 'contains=org_404%20not%20found', 1],
    ['the scenario and facts of the call', 'contains=post%20201', 2],
    ['words that no call has', 'contains=globex%20initech', 0],
    ['no words', 'contains=%20', 5],
    ['a part of an operation, in any case', 'operation=*createorg*', 2],
    ['a protocol', 'protocol=http%2F1.1', 5],
    ['a glob of protocols', 'protocol=grpc*', 0],
    ['the client', 'caller=skc_1000000000000000001', 3],
    ['a glob of callers', 'caller=usr_*', 0],
    ['a status and words', 'status=4xx&contains=organizations', 2],
    ['calls without an answer', 'status=none', 0],
  ])('finds calls by %s, and counts them', async (_, query, count) => {
    const found = await find(await called(), query);

    expect([found.requests.length, found.total, found.kept]).toEqual([count, count, 5]);
  });

  it('counts what the limit leaves out, and counts alone with `limit=0`', async () => {
    const booted = await called();

    const [two, none] = [await find(booted, 'limit=2'), await find(booted, 'status=201&limit=0')];

    expect([two.requests.length, two.total]).toEqual([2, 5]);
    expect(none).toEqual({ requests: [], total: 2, kept: 5 });
  });

  it.each([
    ['sort=status', [200, 201, 201, 401, 404]],
    ['sort=status&reverse=true', [404, 401, 201, 201, 200]],
    ['sort=status&reverse=true&limit=2', [404, 401]],
    ['sort=time&reverse=true', [401, 404, 201, 201, 200]],
  ])('orders all calls by %s', async (query, statuses) => {
    const { requests, total } = await find(await called(), query);

    expect(requests.map(({ status }) => status)).toEqual(statuses);
    expect(total).toBe(5);
  });

  it('orders by duration, longest first', async () => {
    const { requests } = await find(await called(), 'sort=duration&reverse=true');

    const durations = requests.map(({ duration_ms }) => duration_ms);
    expect(durations).toEqual(durations.toSorted((a, b) => b - a));
  });

  it.each([
    ['finds no secret', true, 0],
    ['finds a secret that the journal shows', false, 1],
  ])('%s', async (_, redact, count) => {
    const booted = await boot({ journal: { entries: 100, bytes: 1e6, redact } });

    for (let searches = 0; searches < 2; searches += 1) {
      expect((await find(booted, 'contains=test_understudy_default_secret')).total).toBe(count);
      expect((await find(booted, 'contains=client_secret')).total).toBe(1);
    }
  });

  it('finds the answer of a call that was searched before it had one', async () => {
    const booted = await boot();
    const request = { protocol: 'http/1.1', method: 'GET', path: '/slow', query: {}, headers: {} };
    const entry = booted.own.journal.open({ ...request, body: undefined, size: 0 }, 0);
    expect((await find(booted, 'contains=slow')).total).toBe(1);

    entry.close({ status: 200, headers: {}, body: undefined, text: '{"needle":"haystack"}' });

    expect((await find(booted, 'contains=slow%20haystack')).total).toBe(1);
  });

  it('says which client has made a call, and which user', async () => {
    const booted = await called();

    const { body } = await booted.control.get('/requests?caller=skc_*&limit=1').expect(200);

    expect(body.requests[0].caller).toEqual({ client_id: 'skc_1000000000000000001' });
    const [refused] = (await find(booted, 'status=401')).requests;
    expect(refused).not.toHaveProperty('caller');
  });

  it.each(['sort=size', 'limit=1001', 'status=nine', `contains=${'x'.repeat(201)}`])(
    'refuses %s',
    async (query) => {
      const { control } = await boot();

      const { body } = await control.get(`/requests?${query}`).expect(400);

      expect(JSON.stringify(body.details)).toContain(query.split('=')[0]);
    },
  );

  it('serves other calls while it searches a journal of 20 000 calls', async () => {
    const booted = await boot({ journal: { entries: 30_000, bytes: 1e9, redact: true } });
    fillJournal(booted, 20_000, 4000);
    const search = find(booted, 'contains=haystack%20status500nowhere&limit=10');
    let isDone = false;
    void search.then(() => (isDone = true));
    let served = 0;
    let longest = 0;
    while (!isDone) {
      const begun = process.cpuUsage();
      await booted.control.get('/clock').expect(200);
      longest = Math.max(longest, process.cpuUsage(begun).user / 1000);
      served += 1;
    }

    expect((await search).total).toBe(0);
    expect(served).toBeGreaterThan(3);
    expect(longest).toBeLessThan(500);
    expect(await find(booted, 'status=5xx&limit=1')).toMatchObject({ total: 50, kept: 20_001 });
  });
});

describe('requests of the client', () => {
  it('takes the filters, and counts', async () => {
    const booted = await called();
    const { requests } = new ControlClient(addressOf(booted.understudy.app));

    const failed = await requests.page({ status: '4xx', protocol: 'http/*', limit: 1 });
    const made = await requests.list({ contains: 'globex', caller: 'skc_*', sort: 'time', reverse: true });

    expect([failed.requests.length, failed.total, failed.kept]).toEqual([1, 2, 5]);
    expect(made.map(({ status }) => status)).toEqual([201]);
    await expect(requests.page({ contains: 'x', words: 'y' } as object)).rejects.toThrow(/words/);
  });
});
