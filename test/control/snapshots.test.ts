import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';

const LIST = '/api/v1/organizations';
const NOW = '2030-01-01T00:00:00Z';

const hashOf = async (control: Agent) => (await control.get('/state/hash').expect(200)).body.hash as string;
const take = (control: Agent, name: string) => control.post('/snapshots').send({ name });
const restore = (control: Agent, name: string) => control.post(`/snapshots/${name}/restore`);
const create = (api: Agent, display_name: string) => api.post(LIST).send({ display_name }).expect(201);
const names = async (api: Agent) =>
  (await api.get(LIST).expect(200)).body.organizations.map((o: { display_name: string }) => o.display_name);

describe('Control_TakeSnapshot', () => {
  it("responds with the name and the time of the environment's clock", async () => {
    const { control } = await boot({ now: NOW });

    const taken = await take(control, 'signed-up').expect(201);

    expect(taken.body).toEqual({ name: 'signed-up', time: '2030-01-01T00:00:00.000Z' });
    expect((await control.get('/snapshots').expect(200)).body).toEqual({ snapshots: [taken.body] });
  });

  it('refuses a name that is taken, and keeps the existing snapshot', async () => {
    const { api, control } = await boot({ fixture: 'empty', now: NOW });
    await take(control, 'a').expect(201);
    await create(api, 'Acme');

    const refused = await take(control, 'a').expect(409);

    expect(refused.body).toMatchObject({ code: 6, message: 'snapshot a exists already' });
    await restore(control, 'a').expect(204);
    expect(await names(api)).toEqual([]);
  });

  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name with a path separator', { name: '../a' }, 'name'],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, 'name'],
    ['a number', { name: 7 }, 'name'],
    ['an unknown member', { name: 'a', replace: true }, 'replace'],
  ])('refuses %s', async (_, body, field) => {
    const { control } = await boot({ fixture: 'empty' });

    const refused = await control.post('/snapshots').send(body).expect(400);

    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([{ field }]);
    expect((await control.get('/snapshots').expect(200)).body.snapshots).toEqual([]);
  });

  it('refuses the 101st snapshot and says to delete some', async () => {
    const { control } = await boot({ fixture: 'empty' });
    for (let i = 0; i < 100; i += 1) await take(control, `s-${i}`).expect(201);

    const refused = await take(control, 'one-more').expect(400);

    expect(refused.body.message).toBe(
      'there are 100 snapshots, the most that an environment keeps: delete some',
    );
    await control.delete('/snapshots/s-7').expect(204);
    await take(control, 'one-more').expect(201);
  });
});

describe('Control_RestoreSnapshot', () => {
  it('restores rows, ids, clock and scenarios with their counters, but not the journal', async () => {
    const { api, control } = await boot({ now: NOW });
    await control.post('/scenarios').send({ name: 'invite-expired' }).expect(201);
    await create(api, 'Before');
    await take(control, 'here').expect(201);
    const [hash, before] = [await hashOf(control), await control.get('/state')];
    const { body } = await create(api, 'After');
    await api.delete(`${LIST}/org_10000000000000001`).expect(200);
    await control.delete('/scenarios').expect(204);
    await control.post('/clock/advance').send({ by: '400d' }).expect(200);
    const calls = (await control.get('/requests')).body.requests.length;

    await restore(control, 'here').expect(204);

    expect(await hashOf(control)).toBe(hash);
    expect((await control.get('/state')).body).toEqual(before.body);
    expect((await control.get('/clock')).body).toMatchObject({
      mode: 'frozen',
      now: '2030-01-01T00:00:00.000Z',
    });
    expect((await control.get('/scenarios')).body.loaded).toMatchObject([{ name: 'invite-expired' }]);
    expect((await control.get('/requests')).body.requests).toHaveLength(calls);
    expect((await create(api, 'After')).body.organization.id).toBe(body.organization.id);
  });

  it('restores how often a rule still applies', async () => {
    const { api, control } = await boot();
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await take(control, 'unused').expect(201);

    const seen = [];
    for (let i = 0; i < 2; i += 1) {
      seen.push((await api.get(LIST)).status, (await api.get(LIST)).status);
      await restore(control, 'unused').expect(204);
    }

    expect(seen).toEqual([429, 200, 429, 200]);
  });

  it('schedules deadlines again', async () => {
    const { control } = await boot({ now: NOW });
    const expired = async () => {
      const { body } = await control.get('/state/memberships').expect(200);
      return body.rows.filter((m: { membership_status: string }) => m.membership_status === 'INVITE_EXPIRED')
        .length;
    };
    const rows = (await control.get('/state/memberships')).body.rows;
    const pending = { membership_status: 'PENDING_INVITE', expires_at: '2030-01-02T00:00:00Z' };
    await control.patch(`/state/memberships/${rows[0].id}`).send(pending).expect(200);
    await take(control, 'invited').expect(201);
    const before = await expired();

    const seen = [];
    for (let i = 0; i < 2; i += 1) {
      await control.post('/clock/advance').send({ by: '2d' }).expect(200);
      seen.push(await expired());
      await restore(control, 'invited').expect(204);
      seen.push(await expired());
    }

    expect(seen).toEqual([before + 1, before, before + 1, before]);
  });

  it('works in any order, any number of times, and after a reset', async () => {
    const { environment } = await boot({ fixture: 'empty' });
    const { api, control } = await environment('red', { clock: { mode: 'frozen', at: NOW } });
    await control.post('/reset').expect(204);
    const start = await hashOf(control);
    const known: Record<string, string> = {};
    for (const name of ['one', 'two', 'three']) {
      await create(api, name);
      await take(control, name).expect(201);
      known[name] = await hashOf(control);
    }
    await control.post('/reset').expect(204);
    expect(await hashOf(control)).toBe(start);

    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('one', 'two', 'three', 'write', 'reset')), async (steps) => {
        for (const step of steps) {
          if (step === 'write') await create(api, 'another');
          else if (step === 'reset') await control.post('/reset').expect(204);
          else {
            await restore(control, step).expect(204);
            expect(await hashOf(control)).toBe(known[step]);
          }
        }
      }),
      { numRuns: 8 },
    );
    await control.post('/reset').expect(204);
    expect(await hashOf(control)).toBe(start);
  });

  it('responds 404 for a snapshot of another environment and suggests the nearest name', async () => {
    const { control, environment } = await boot({ fixture: 'empty' });
    const red = await environment('red', { fixture: 'empty' });
    await take(control, 'signed-up').expect(201);

    const [near, none] = [await restore(control, 'signed-op'), await restore(red.control, 'signed-up')];

    expect(near).toMatchObject({
      status: 404,
      body: { code: 5, message: 'snapshot signed-op not found; did you mean signed-up?' },
    });
    expect(none).toMatchObject({
      status: 404,
      body: { message: 'snapshot signed-up not found; there are none' },
    });
  });
});

describe('Control_DeleteSnapshot', () => {
  it('deletes the snapshot and nothing else', async () => {
    const { control } = await boot({ fixture: 'empty', now: NOW });
    await take(control, 'a').expect(201);
    const hash = await hashOf(control);

    await control.delete('/snapshots/a').expect(204);

    expect(await hashOf(control)).toBe(hash);
    await restore(control, 'a').expect(404);
    await control.delete('/snapshots/a').expect(404);
  });
});
