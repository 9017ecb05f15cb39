import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { eventually, makeFolder, run, serve } from '../support/process.ts';

const CLOCK = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };
const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

interface Row {
  id: string;
  status?: string;
  to?: string;
  data?: { display_name?: string };
}

const rename = (api: Agent, display_name: string) =>
  api.patch(ORGANIZATION).send({ display_name }).expect(200);

async function rowsOf(control: Agent, collection: string): Promise<Row[]> {
  return (await control.get(`/state/${collection}`).expect(200)).body.rows;
}

async function namesTold(control: Agent): Promise<(string | undefined)[]> {
  return (await rowsOf(control, 'events')).map(({ data }) => data?.display_name);
}

describe('the events of an environment', () => {
  it('are limited to the latest ones', async () => {
    const { environment } = await boot({ history: 3 });
    const { api, control } = await environment('worker');
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await rename(api, name);

    expect(await namesTold(control)).toEqual(['Three', 'Four', 'Five']);
  });

  it('are listed as far as they are kept, and page tokens stay valid', async () => {
    const { environment } = await boot({ history: 4 });
    const { api } = await environment('worker');
    for (const name of ['One', 'Two', 'Three', 'Four']) await rename(api, name);
    const list = (token = '') =>
      api.post(`/api/v1/events/paginated?page_size=2&page_token=${token}`).send({});
    const first = await list();
    await rename(api, 'Five');

    const second = await list(first.body.next_page_token);

    const names = ({ body }: typeof first) => body.events?.map(({ data }: Row) => data?.display_name);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(names(first)).toEqual(['Four', 'Three']);
    expect(names(second)).toEqual(['Two']);
    expect(second.body.next_page_token).toBe('');
  });

  it('are removed in the commit of the call that exceeds the limit, so snapshots restore them', async () => {
    const { environment } = await boot({ history: 2 });
    const { api, control } = await environment('worker');
    for (const name of ['One', 'Two']) await rename(api, name);
    await control.post('/snapshots').send({ name: 'two' }).expect(201);
    const answer = await rename(api, 'Three');

    const entry = await control.get(`/requests/${answer.headers['understudy-request-id']}`).expect(200);
    const told = await namesTold(control);
    await control.post('/snapshots/two/restore').expect(204);

    const gone = entry.body.changes.filter(({ op }: { op: string }) => op === 'remove');
    expect(gone).toHaveLength(1);
    expect(told).toEqual(['Two', 'Three']);
    expect(await namesTold(control)).toEqual(['One', 'Two']);
  });

  it('are the same in another simulator after the same calls', async () => {
    const hashes: string[] = [];
    for (const each of [await boot({ history: 3 }), await boot({ history: 3 })]) {
      const { api, control } = await each.environment('worker', { clock: CLOCK, seed: 7 });
      for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await rename(api, name);
      hashes.push((await control.get('/state/hash').expect(200)).body.hash);
    }

    expect(hashes[1]).toBe(hashes[0]);
  });

  it('beyond the limit in a state are removed step by step', async () => {
    const { environment } = await boot({ history: 2 });
    const { api, control } = await environment('worker');
    const { body: state } = await control.get('/state').expect(200);
    const [row] = state.events;
    const events = Array.from({ length: 250 }, (_, at) => ({ ...row, id: `evt_10000000000000${1000 + at}` }));
    await control
      .put('/state')
      .send({ ...state, events })
      .expect(204);

    const counts = [(await rowsOf(control, 'events')).length];
    for (const name of ['One', 'Two', 'Three']) {
      await rename(api, name);
      counts.push((await rowsOf(control, 'events')).length);
    }

    expect(counts).toEqual([250, 150, 50, 2]);
  });
});

describe('the change log', () => {
  it('replays to the kept rows, and a restarted process removes the oldest next', async () => {
    const data = join(makeFolder(), 'data');
    const flags = ['--data', data, '--history', '3'];
    const first = await serve(flags);
    const api = await first.login();
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await rename(api, name);
    const before = await rowsOf(first.control, 'events');
    first.kill('SIGKILL');
    await first.exited;

    const second = await serve(flags);
    const after = await rowsOf(second.control, 'events');
    await rename(await second.login(), 'Six');

    expect(after).toEqual(before);
    expect(await namesTold(second.control)).toEqual(['Four', 'Five', 'Six']);
  });

  it.each(['0', 'many'])('is not limited by an invalid --history such as %s', async (value) => {
    const { code, stderr } = await run(['serve', '--memory', '--history', value]);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: option '--history <number>' argument '.*' is invalid\. It must be/);
  });
});

describe('webhook deliveries', () => {
  const INBOX = { kind: 'inbox' };

  it('are limited: a finished delivery is removed before a waiting one', async () => {
    const { environment, lines } = await boot({ history: 3 });
    const { api, control } = await environment('worker', { clock: CLOCK });
    const hold = {
      name: 'hold',
      rules: [{ on: 'webhook.organization.updated', times: 1, deliver: { hold: 9 } }],
    };
    await control.post('/webhooks/endpoints').send(INBOX).expect(201);
    await control.post('/scenarios').send(hold).expect(201);
    for (const name of ['Held', 'Two', 'Three', 'Four', 'Five']) {
      await rename(api, name);
      await eventually(
        () => rowsOf(control, 'webhook_deliveries'),
        (rows) => rows.every(({ status }) => status !== 'QUEUED'),
      );
    }

    const rows = await rowsOf(control, 'webhook_deliveries');
    expect(rows.map(({ status }) => status)).toEqual(['HELD', 'SUCCESS', 'SUCCESS']);
    expect(lines).toEqual([]);
  });

  it('of a removed event are listed, and their last attempt says that the event is gone', async () => {
    const { environment } = await boot({ history: 2 });
    const { api, control } = await environment('worker', { clock: CLOCK });
    await control
      .post('/webhooks/endpoints')
      .send({ url: 'http://127.0.0.1:9/closed', event_types: ['organization.created'] })
      .expect(201);
    await api.post('/api/v1/organizations').send({ display_name: 'New' }).expect(201);
    await control.get('/webhooks/deliveries/wait?status=RETRYING&timeout=2m').expect(200);
    for (const name of ['One', 'Two', 'Three']) await rename(api, name);

    const [waiting] = await rowsOf(control, 'webhook_deliveries');
    await control.get('/webhooks/deliveries').expect(200);
    await control.post('/clock/advance').send({ by: '10s' }).expect(200);
    const { body } = await control.get('/webhooks/deliveries/wait?status=FAILED&timeout=2m').expect(200);

    expect(waiting).toMatchObject({ status: 'RETRYING' });
    expect(body.deliveries[0].attempts.at(-1).error).toMatch(
      /^event evt_\w+ is gone: there is nothing to send$/,
    );
  });

  it('that all wait are removed too, and the process logs it once', async () => {
    const { environment, lines } = await boot({ history: 2 });
    const { api, control } = await environment('worker', { clock: CLOCK });
    await control.post('/webhooks/endpoints').send({ url: 'http://127.0.0.1:9/closed' }).expect(201);
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) {
      await rename(api, name);
      await control.get('/webhooks/deliveries/wait?status=RETRYING&timeout=2m').expect(200);
    }

    expect(await rowsOf(control, 'webhook_deliveries')).toHaveLength(2);
    expect(lines).toEqual([
      'warn: webhook_deliveries of environment worker has 2 rows that are not over: ' +
        'the oldest of them goes with each new row (--history 2)\n',
    ]);
  });
});

describe('other limited collections', () => {
  it('keep their limit: mails and passwordless requests', async () => {
    const { environment } = await boot({ history: 2 });
    const { api, control } = await environment('worker', { clock: CLOCK });
    for (const name of ['a', 'b', 'c', 'd'])
      await api
        .post('/api/v1/passwordless/email/send')
        .send({ email: `${name}@acme.example` })
        .expect(200);

    expect((await rowsOf(control, 'mails')).map(({ to }) => to)).toEqual([
      'c@acme.example',
      'd@acme.example',
    ]);
    expect(await rowsOf(control, 'passwordless_requests')).toHaveLength(2);
  });

  it('never lose an active session', async () => {
    const { environment } = await boot({ history: 1 });
    const { control } = await environment('worker', { clock: CLOCK });
    const [session] = await rowsOf(control, 'sessions');
    const { body: state } = await control.get('/state').expect(200);
    const active = { ...session!, status: 'active', idle_expires_at: '2031-01-01T00:00:00Z' } as object;
    const times = { absolute_expires_at: '2031-01-01T00:00:00Z' };
    const sessions = ['1', '2', '3'].map((n) => ({
      ...active,
      ...times,
      id: `ses_2000000000000000${n}`,
      cookie: n,
    }));
    await control
      .put('/state')
      .send({ ...state, sessions })
      .expect(204);

    await control.patch('/state/sessions/ses_20000000000000002').send({ status: 'revoked' }).expect(200);

    expect((await rowsOf(control, 'sessions')).map(({ id }) => id)).toEqual([
      'ses_20000000000000001',
      'ses_20000000000000003',
    ]);
  });
});
