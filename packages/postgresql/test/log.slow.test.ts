import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { receiver } from '../../../test/support/receiver.ts';
import { startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

async function startTwo(): Promise<[Replica, Replica]> {
  const store = await postgres.database();
  return [await startReplica(store), await startReplica(store)];
}

const shown = (replica: Replica) => console.log(replica.lines.join('\n'));
const put = (replica: Replica, id: string) =>
  replica.control.put(`/state/organizations/${id}`).send({ display_name: id });

describe.skipIf(!HAS_POSTGRES)('two replicas over one log', () => {
  it('show what the other one has written, at the next call', async () => {
    const [one, two] = await startTwo();
    await put(one, 'org_11111111111111111111').expect((r) => r.status !== 200 && shown(one));
    const found = await two.control.get('/state/organizations').expect(200);
    expect(found.body.rows.map(({ id }: { id: string }) => id)).toEqual(['org_11111111111111111111']);
  });

  it('create each organization once, however many create at the same time', async () => {
    const [one, two] = await startTwo();
    const [first, second] = [await one.login(), await two.login()];
    const create = (index: number) =>
      (index % 2 ? first : second)
        .post('/api/v1/organizations')
        .send({ display_name: 'Acme', external_id: `key-${index >> 2}` });
    const answers = await Promise.all(Array.from({ length: 80 }, (_, index) => create(index)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 400)).toHaveLength(60);
    for (const replica of [one, two]) {
      const { body } = await replica.control.get('/state/organizations').expect(200);
      expect(body.rows).toHaveLength(20);
      expect(new Set(body.rows.map(({ id }: { id: string }) => id)).size).toBe(20);
    }
  });

  it('apply a rule with times: 1 once', async () => {
    const [one, two] = await startTwo();
    const rule = {
      on: 'OrganizationService_ListOrganization',
      times: 1,
      reply: { error: 'unavailable', message: 'once' },
    };
    const loaded = await one.control.post('/scenarios').send({ name: 'once', rules: [rule] });
    expect(loaded.status, JSON.stringify(loaded.body)).toBe(201);
    const [first, second] = [await one.login(), await two.login()];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? first : second).get('/api/v1/organizations')),
    );
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(39);
  });

  it('see clocks, resets, forks, snapshots and drops of the other one', async () => {
    const [one, two] = await startTwo();
    await one.control.put('/clock').send({ mode: 'frozen', at: '2030-01-01T00:00:00Z' }).expect(200);
    expect((await two.control.get('/clock').expect(200)).body.now).toBe('2030-01-01T00:00:00.000Z');
    await one.control.post('/environments').send({ name: 'own' }).expect(201);
    await two.control
      .put('/state/organizations/org_22222222222222222222')
      .set('understudy-environment', 'own')
      .send({ display_name: 'b' })
      .expect(200);
    await one.control.post('/environments/own/snapshots').send({ name: 'half' }).expect(201);
    await two.control.post('/environments/own/fork').send({ name: 'copy' }).expect(201);
    const rowsOf = async (replica: Replica, name: string) =>
      (await replica.control.get('/state/organizations').set('understudy-environment', name)).body.rows
        ?.length;
    expect([await rowsOf(one, 'copy'), await rowsOf(two, 'copy')]).toEqual([1, 1]);
    await two.control.post('/environments/own/reset').expect(204);
    expect([await rowsOf(one, 'own'), await rowsOf(two, 'own')]).toEqual([0, 0]);
    await two.control.post('/environments/own/snapshots/half/restore').expect(204);
    expect([await rowsOf(one, 'own'), await rowsOf(two, 'own')]).toEqual([1, 1]);
    await two.control.delete('/environments/own').expect(204);
    await one.control.get('/environments/own').expect(404);
    await two.control.get('/environments/own').expect(404);
  });

  it('list the calls of both', async () => {
    const [one, two] = await startTwo();
    const [first, second] = [await one.login(), await two.login()];
    for (let count = 0; count < 5; count += 1) {
      await first.get('/api/v1/organizations').expect(200);
      await second.get('/api/v1/organizations').expect(200);
    }
    for (const replica of [one, two]) {
      const { body } = await replica.control
        .get('/requests?operation=OrganizationService_ListOrganization')
        .expect(200);
      expect(body.requests).toHaveLength(10);
      expect(new Set(body.requests.map(({ id }: { id: string }) => id)).size).toBe(10);
    }
  });

  it('wait for what the other one does', async () => {
    const [one, two] = await startTwo();
    const first = await one.login();
    const waiting = two.control
      .get('/requests/wait?operation=OrganizationService_ListOrganization&timeout=10s')
      .then((answer) => answer);
    await first.get('/api/v1/organizations').expect(200);
    expect((await waiting).body.requests).toHaveLength(1);
  });

  it('deliver each webhook once', async () => {
    const [one, two] = await startTwo();
    const hook = await receiver();
    await one.control.post('/webhooks/endpoints').send({ url: hook.url }).expect(201);
    const [first, second] = [await one.login(), await two.login()];
    const create = (index: number) =>
      (index % 2 ? first : second)
        .post('/api/v1/organizations')
        .send({ display_name: `Acme ${index}` })
        .expect(201);
    await Promise.all(Array.from({ length: 10 }, (_, index) => create(index)));
    const done = await one.control.get('/webhooks/deliveries/wait?status=SUCCESS&count=10&timeout=20s');
    expect(done.status, JSON.stringify(done.body)).toBe(200);
    expect(hook.received).toHaveLength(10);
  });

  it('refuse to show the past, which no process has as a whole', async () => {
    const [one] = await startTwo();
    await put(one, 'org_11111111111111111111').expect(200);
    for (const path of ['/state?at=1', '/state/organizations?at=1']) {
      const { status, body } = await one.control.get(path);
      expect([path, status]).toEqual([path, 400]);
      expect(body.message).toContain('the past of an environment cannot be shown with --store');
    }
  });

  it('goes on with what is stored after both have ended', async () => {
    const store = await postgres.database();
    const one = await startReplica(store);
    await put(one, 'org_11111111111111111111').expect(200);
    await one.close();
    const two = await startReplica(store);
    expect((await two.control.get('/state/organizations').expect(200)).body.rows).toHaveLength(1);
    expect(await query(store, 'SELECT count(*)::int FROM understudy_commits')).toEqual([{ count: 1 }]);
  });
});
