import fc from 'fast-check';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { boot, tokenOf, type Agent, type Booted } from '../support/boot.ts';

const LIST = '/api/v1/organizations';
const NOW = '2030-01-01T00:00:00Z';

const create = async (api: Agent, display_name: string) =>
  (await api.post(LIST).send({ display_name }).expect(201)).body.organization.id as string;
const rename = (api: Agent, id: string, display_name: string) =>
  api.patch(`${LIST}/${id}`).send({ display_name }).expect(200);
const latest = async (control: Agent) =>
  (await control.get('/requests?limit=1')).body.requests[0].id as string;
const stateAt = async (control: Agent, at: string) => (await control.get(`/state?at=${at}`).expect(200)).body;
const messageOf = async (control: Agent, path: string, status: number) =>
  (await control.get(path).expect(status)).body.message as string;

/** A renamed organization, and the calls that made it, renamed it and deleted it. */
async function story({ api, control }: Booted) {
  const id = await create(api, 'Acme');
  const made = await latest(control);
  await rename(api, id, 'Acme Inc');
  const renamed = await latest(control);
  await api.delete(`${LIST}/${id}`).expect(200);
  return { id, made, renamed, deleted: await latest(control) };
}

describe('with `at`, a read of the state', () => {
  it('has the rows after a request', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    const { id, made, renamed, deleted } = await story(booted);
    const { control } = booted;

    const name = async (at: string) =>
      (await control.get(`/state/organizations/${id}?at=${at}`).expect(200)).body.display_name;
    expect(await name(made)).toBe('Acme');
    expect(await name(renamed)).toBe('Acme Inc');
    await control.get(`/state/organizations/${id}?at=${deleted}`).expect(404);
    expect((await control.get(`/state/counts?at=${made}`)).body.counts.organizations).toBe(1);
    expect((await control.get('/state/counts')).body.counts.organizations).toBe(0);
    const listed = await control.get(`/state/organizations?contains=inc&at=${renamed}`).expect(200);
    expect(listed.body).toMatchObject({ total: 1, rows: [{ id }] });
  });

  it('has the rows at a time of the clock, and after a number of commits', async () => {
    const { api, control } = await boot({ fixture: 'empty', now: NOW });
    await create(api, 'Early');
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);
    await create(api, 'Late');

    expect((await stateAt(control, '2030-01-01T00:30:00Z')).organizations).toMatchObject([
      { display_name: 'Early' },
    ]);
    const difference = await control.get('/difference?from=2030-01-01T00:30:00Z').expect(200);
    const { from, to } = difference.body;
    expect((await stateAt(control, String(from.position))).organizations).toHaveLength(1);
    expect((await stateAt(control, String(to.position))).organizations).toHaveLength(2);
  });

  it('has exactly the rows that were there, whatever happened since', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('create' as const), name: fc.string({ minLength: 1, maxLength: 5 }) }),
      fc.record({ do: fc.constantFrom('rename' as const, 'delete' as const), which: fc.nat(9) }),
      fc.record({
        do: fc.constantFrom('reset' as const, 'replace' as const, 'later' as const, 'put' as const),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { api, control } = await boot({ fixture: 'empty', now: NOW });
        const seen: { at: string; state: object }[] = [];
        const ids = async () =>
          (await control.get('/state/organizations')).body.rows.map(
            (row: { id: string }) => row.id,
          ) as string[];
        for (const each of steps) {
          const known = await ids();
          const id = 'which' in each ? known[each.which % known.length] : undefined;
          if (each.do === 'create') await api.post(LIST).send({ display_name: each.name });
          if (each.do === 'rename' && id)
            await control.patch(`/state/organizations/${id}`).send({ display_name: 'Renamed' }).expect(200);
          if (each.do === 'delete' && id) await control.delete(`/state/organizations/${id}`).expect(204);
          if (each.do === 'put' && known[0]) {
            await control.delete(`/state/organizations/${known[0]}`).expect(204);
            const row = { display_name: 'Again', region_code: 'US' };
            await control.put(`/state/organizations/${known[0]}`).send(row).expect(200);
          }
          if (each.do === 'reset') await control.post('/reset?only=state').expect(204);
          if (each.do === 'replace')
            await control
              .put('/state')
              .send({ include: ['empty'] })
              .expect(204);
          if (each.do === 'later') await control.post('/clock/advance').send({ by: '20d' }).expect(200);
          const { body } = await control.get('/difference?from=0').expect(200);
          seen.push({ at: String(body.to.position), state: (await control.get('/state')).body });
        }
        for (const { at, state } of seen) expect(await stateAt(control, at)).toEqual(state);
      }),
      { numRuns: 15 },
    );
  });

  it('goes back less far where rows are large', async () => {
    const { control } = await boot({ now: NOW });
    const definition = { name: 'large', description: 'x', input_schema: {} };
    for (let made = 0; made < 120; made += 1) {
      const response = { text: `${made} ${'x'.repeat(400_000)}` };
      const tool = { provider: 'GMAIL', tags: [], updated_at: 'now', definition, response };
      await control.put('/state/tools/tol_1').send(tool).expect(200);
    }

    expect(await messageOf(control, '/state/counts?at=0', 404)).toContain(
      'does not have 0: it has the commits',
    );
  });

  it('names what is no moment, what is unknown and what is out of range', async () => {
    const { control } = await boot({ fixture: 'empty', now: NOW });

    expect(await messageOf(control, '/state?at=yesterday', 400)).toContain(
      'at: "yesterday" is no moment: name a request such as req_17, a time such as 2026-03-01T09:00:00Z, or a number of commits',
    );
    expect(await messageOf(control, '/state?at=req_99', 404)).toContain('request req_99 not found');
    expect(await messageOf(control, '/state?at=99', 404)).toContain(
      'at: the history of environment default does not have 99: it has the commits 0 to',
    );
  });
});

describe('Control_CompareMoments', () => {
  it('lists the members that differ, each with the call that changed it', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    const { id, made, renamed, deleted } = await story(booted);
    const { control } = booted;

    const change = await control.get(`/difference?from=${made}&to=${renamed}`).expect(200);
    expect(change.body.rows.slice(0, 1)).toMatchObject([
      {
        collection: 'organizations',
        id,
        change: 'changed',
        members: [
          {
            name: 'display_name',
            before: 'Acme',
            after: 'Acme Inc',
            request: renamed,
            time: '2030-01-01T00:00:00.000Z',
          },
        ],
      },
    ]);
    const all = await control.get(`/difference?from=${made}&to=${deleted}`).expect(200);
    expect(all.body.rows.find((row: { id: string }) => row.id === id)).toMatchObject({ change: 'deleted' });
    // The call that renames the organization also records an event.
    expect(change.body.rows.map((row: { collection: string }) => row.collection)).toEqual([
      'organizations',
      'events',
    ]);
    const none = await control.get(`/difference?from=${made}&to=${made}`).expect(200);
    expect(none.body.rows).toEqual([]);
  });

  it('says what a reset took away', async () => {
    const { api, control } = await boot({ fixture: 'empty', now: NOW });
    const id = await create(api, 'Acme');
    const { body } = await control.get('/difference?from=0').expect(200);
    await control.post('/reset?only=state').expect(204);

    const after = await control.get(`/difference?from=${body.to.position}`).expect(200);

    const row = after.body.rows.find((each: { id: string }) => each.id === id);
    expect(row).toMatchObject({ collection: 'organizations', change: 'deleted' });
  });

  it('refuses moments in the wrong order', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    const { made, deleted } = await story(booted);

    expect(await messageOf(booted.control, `/difference?from=${deleted}&to=${made}`, 400)).toContain(
      `from: ${deleted} is later than ${made}: exchange from and to`,
    );
  });
});

/** A fork, called with its own client. */
async function forkOf({ understudy, control }: Booted, wanted: { name: string; at?: string }) {
  const made = await control.post('/environments/default/fork').send(wanted).expect(201);
  const token = await tokenOf(understudy.app, made.body);
  const send = (verb: 'get' | 'post', path: string) =>
    supertest(understudy.app)[verb](path).set('authorization', `Bearer ${token}`);
  const read = async (path: string) =>
    (await supertest(understudy.app).get(`/_control/v1${path}`).set('understudy-environment', wanted.name))
      .body;
  return { send, read };
}

describe('with `at`, a fork', () => {
  it('runs the next call as it ran then', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    const { api, control } = booted;
    const rules = [
      { on: 'OrganizationService_CreateOrganization', times: 1, reply: { error: 'unavailable' } },
    ];
    await control.post('/scenarios').send({ name: 'down', rules }).expect(201);
    await create(api, 'Before').catch(() => undefined);
    await create(api, 'First');
    const at = await latest(control);
    const live = await forkOf(booted, { name: 'live' });
    await create(api, 'Second');
    await control.delete('/scenarios').expect(204);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const { send, read } = await forkOf(booted, { name: 'then', at });

    expect((await read('/scenarios')).loaded).toMatchObject([{ name: 'down', rules: [{ hits: 1 }] }]);
    const again = await send('post', LIST).send({ display_name: 'Second' }).expect(201);
    const expected = await live.send('post', LIST).send({ display_name: 'Second' }).expect(201);
    expect(again.body).toEqual(expected.body);
  });

  it('has the counts of rules from before the next call', async () => {
    const booted = await boot({ fixture: 'empty', now: NOW });
    const { api, control } = booted;
    const rules = [{ on: 'OrganizationService_ListOrganization', times: 1, reply: { error: 'unavailable' } }];
    await control.post('/scenarios').send({ name: 'down', rules }).expect(201);
    await create(api, 'Acme');
    const at = await latest(control);
    await api.get(LIST).expect(503);
    await api.get(LIST).expect(200);

    const { send } = await forkOf(booted, { name: 'then', at });

    await send('get', LIST).expect(503);
    await send('get', LIST).expect(200);
  });
});
