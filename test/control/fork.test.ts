import { describe, expect, it } from 'vitest';
import { boot, tokenOf, type Agent, type Booted } from '../support/boot.ts';
import supertest from 'supertest';

const LIST = '/api/v1/organizations';
const NOW = '2030-01-01T00:00:00Z';

const create = (api: Agent, display_name: string) => api.post(LIST).send({ display_name }).expect(201);
const names = async (api: Agent) =>
  (await api.get(LIST).expect(200)).body.organizations.map((o: { display_name: string }) => o.display_name);

/** A fork, and agents with its own client. */
async function fork({ understudy, control }: Booted, from: string, name: string) {
  const made = await control.post(`/environments/${from}/fork`).send({ name }).expect(201);
  const token = await tokenOf(understudy.app, made.body);
  const { app } = understudy;
  const agent = (prefix: string, headers: Record<string, string>) =>
    Object.fromEntries(
      (['get', 'post', 'put', 'patch', 'delete'] as const).map((verb) => [
        verb,
        (path: string) => supertest(app)[verb](`${prefix}${path}`).set(headers),
      ]),
    ) as Agent;
  return {
    credentials: made.body as { client_id: string; client_secret: string },
    token,
    api: agent('', { authorization: `Bearer ${token}` }),
    control: agent('/_control/v1', { 'understudy-environment': name }),
  };
}

describe('Control_ForkEnvironment', () => {
  it('copies rows, clock, ids and scenarios with their counters', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    await create(booted.api, 'Acme');
    const rules = [{ on: 'DirectoryService_*', times: 3, reply: { error: 'unavailable' } }];
    await booted.control.post('/scenarios').send({ name: 'down', rules }).expect(201);
    await booted.api.get(`${LIST}/org_10000000000000001/directories`).expect(503);

    const { control } = await fork(booted, 'default', 'what-if');

    const loaded = async (agent: Agent) => (await agent.get('/scenarios')).body.loaded;
    const rows = async (agent: Agent) => (await agent.get('/state/organizations')).body.rows;
    expect(await loaded(control)).toMatchObject([{ name: 'down', rules: [{ hits: 1, remaining: 2 }] }]);
    expect(await loaded(control)).toEqual(await loaded(booted.control));
    expect(await rows(control)).toEqual(await rows(booted.control));
    expect((await control.get('/clock')).body).toMatchObject({
      mode: 'frozen',
      now: '2030-01-01T00:00:00.000Z',
    });
    expect((await control.get('/requests')).body.requests).toHaveLength(1); // its own token request
  });

  it('makes two independent environments', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    await create(booted.api, 'Both');
    const forked = await fork(booted, 'default', 'what-if');

    await create(booted.api, 'Mine');
    await create(forked.api, 'Theirs');
    await forked.control.post('/clock/advance').send({ by: '1h' }).expect(200);
    await booted.control.post('/scenarios').send({ name: 'slow-answers' }).expect(201);

    expect(await names(forked.api)).toEqual(['Theirs', 'Both']);
    await booted.control.delete('/scenarios').expect(204);
    expect(await names(booted.api)).toEqual(['Mine', 'Both']);
    expect((await booted.control.get('/clock')).body.now).toBe('2030-01-01T00:00:00.000Z');
    expect((await forked.control.get('/scenarios')).body.loaded).toEqual([]);
  });

  it('gives the fork its own credentials; those of the source are rejected there', async () => {
    const booted = await boot({ fixture: 'empty' });
    const red = await fork(booted, 'default', 'red');
    const blue = await fork(booted, 'red', 'blue');
    const there = { 'understudy-environment': 'blue' };
    const ask = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
      booted.anonymous
        .post('/oauth/token')
        .set(there)
        .type('form')
        .send({ grant_type: 'client_credentials', client_id, client_secret });

    const asked = [
      await ask({ client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' }),
      await ask(red.credentials),
      await ask(blue.credentials),
    ];
    const called = [await booted.api.get(LIST).set(there), await red.api.get(LIST).set(there)];

    expect(asked.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(called.map(({ status }) => status)).toEqual([401, 401]);
    await blue.api.get(LIST).expect(200);
  });

  it('makes a reset return to the time of the fork', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    await create(booted.api, 'Before');
    const forked = await fork(booted, 'default', 'what-if');
    await forked.control.post('/reset').expect(204);
    const { hash } = (await forked.control.get('/state/hash')).body;
    await create(forked.api, 'After');
    await forked.control.post('/clock/advance').send({ by: '1d' }).expect(200);

    await forked.control.post('/reset').expect(204);

    expect((await forked.control.get('/state/hash')).body.hash).toBe(hash);
    expect((await forked.control.get('/state/organizations')).body.rows).toMatchObject([
      { display_name: 'Before' },
    ]);
  });

  it('chooses a free name when none is given', async () => {
    const { control } = await boot({ fixture: 'empty' });

    const [first, second] = [
      await control.post('/environments/default/fork').expect(201),
      await control.post('/environments/default/fork').send({}).expect(201),
    ];

    expect([first.body.name, second.body.name]).toEqual(['env-1', 'env-2']);
  });

  it('refuses a taken name, an invalid name and an unknown source', async () => {
    const { control, environment } = await boot({ fixture: 'empty' });
    await environment('red', { fixture: 'empty' });
    const ask = (from: string, body: object) => control.post(`/environments/${from}/fork`).send(body);

    const [taken, bad, missing] = [
      await ask('default', { name: 'red' }),
      await ask('default', { name: 'Red!' }),
      await ask('rde', { name: 'blue' }),
    ];

    expect(taken).toMatchObject({ status: 409, body: { message: 'environment red exists already' } });
    expect(bad.body.details[0].validation_error_info.field_violations).toMatchObject([{ field: 'name' }]);
    expect(missing).toMatchObject({
      status: 404,
      body: { message: 'environment rde not found; did you mean red?' },
    });
    expect((await control.get('/environments')).body.environments).toHaveLength(2);
  });
});
