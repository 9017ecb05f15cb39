import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { NOW } from './support.ts';
import { EMPTY_DESK } from '../support/fixture-ids.ts';

const ORGANIZATION = `/api/v1/organizations/${EMPTY_DESK}`;
const GET = 'OrganizationService_GetOrganization';
const rename = (display_name: string) => ({
  organizations: [{ match: { id: EMPTY_DESK }, set: { display_name } }],
});

const load = ({ control }: Booted, scenario: object) =>
  control.post('/scenarios').send({ restore: true, ...scenario });
const unload = ({ control }: Booted, name: string) => control.delete(`/scenarios/${name}`).expect(204);
const stateOf = async ({ control }: Booted) => (await control.get('/state').expect(200)).body;
const nameOf = async ({ control }: Booted) =>
  (await control.get(`/state/organizations/${EMPTY_DESK}`).expect(200)).body.display_name;

describe('unloading a scenario with restore: true', () => {
  it('reverts the changes, inserts and deletes of its state, with dependents and row order', async () => {
    const sim = await boot({ now: NOW });
    const before = await stateOf(sim);
    const template = before.organizations[0];
    await load(sim, {
      name: 'a',
      state: {
        organizations: [
          { match: { id: EMPTY_DESK }, set: { display_name: 'Renamed' } },
          { delete: { match: { id: 'org_10000000000000001' } } },
          { insert: { ...template, id: 'org_90000000000000001', external_id: 'other', slug: 'other' } },
        ],
      },
    }).expect(201);
    expect(await stateOf(sim)).not.toEqual(before);

    await unload(sim, 'a');

    expect(await stateOf(sim)).toEqual(before);
  });

  it('reverts the changes that its rules made', async () => {
    const sim = await boot({ now: NOW });
    const before = await stateOf(sim);
    await load(sim, { name: 'a', rules: [{ on: GET, do: rename('One') }] }).expect(201);
    await sim.api.get(ORGANIZATION).expect(200);
    await sim.api.get(ORGANIZATION).expect(200);
    expect(await nameOf(sim)).toBe('One');

    await unload(sim, 'a');

    expect(await stateOf(sim)).toEqual(before);
  });

  it('reverts its rows even when calls changed them since, and keeps all other rows', async () => {
    const sim = await boot({ now: NOW });
    await load(sim, { name: 'a', state: rename('Renamed') }).expect(201);
    await sim.api.patch(ORGANIZATION).send({ display_name: 'Called' }).expect(200);
    await sim.api
      .patch('/api/v1/organizations/org_10000000000000002')
      .send({ display_name: 'Other' })
      .expect(200);

    await unload(sim, 'a');

    expect(await nameOf(sim)).toBe('Empty Desk');
    const { body } = await sim.control.get('/state/organizations/org_10000000000000002').expect(200);
    expect(body.display_name).toBe('Other');
  });

  it('does not restore a row whose parent a call has deleted', async () => {
    const sim = await boot({ now: NOW });
    const match = { id: 'mem_10000000000000006' };
    const state = { memberships: [{ match, set: { membership_status: 'INVITE_EXPIRED' } }] };
    await load(sim, { name: 'a', state }).expect(201);
    await sim.api.delete('/api/v1/users/usr_10000000000000105').expect(200);

    await unload(sim, 'a');

    await sim.control.get('/state/memberships/mem_10000000000000006').expect(404);
  });

  it('deletes rows that calls attached to an inserted row', async () => {
    const sim = await boot({ now: NOW });
    const { organizations } = await stateOf(sim);
    const insert = { ...organizations[2], id: 'org_90000000000000001' };
    await load(sim, { name: 'a', state: { organizations: [{ insert }] } }).expect(201);
    const before = (await stateOf(sim)).memberships.length;
    await sim.api
      .post('/api/v1/organizations/org_90000000000000001/users')
      .send({ email: 'new@example.com', membership: {} })
      .expect(201);

    await unload(sim, 'a');

    expect((await stateOf(sim)).memberships).toHaveLength(before);
  });

  it('resets the clock', async () => {
    const sim = await boot({ now: NOW });
    await load(sim, { name: 'a', clock: { mode: 'frozen', at: '2027-01-01T00:00:00Z' } }).expect(201);

    await unload(sim, 'a');

    const { body } = await sim.control.get('/clock').expect(200);
    expect(body).toMatchObject({ mode: 'frozen', now: NOW });
  });

  it('keeps the changes when `restore` is false', async () => {
    const sim = await boot({ now: NOW });
    await load(sim, { name: 'a', restore: false, state: rename('Renamed') }).expect(201);

    await unload(sim, 'a');

    expect(await nameOf(sim)).toBe('Renamed');
  });
});

describe('several scenarios with restore: true', () => {
  it.each([
    ['the last one first', ['b', 'a'], ['First', 'Empty Desk']],
    ['the first one first', ['a', 'b'], ['Second', 'Empty Desk']],
  ])('leave no changes when unloaded %s', async (_, order, expected) => {
    const sim = await boot({ now: NOW });
    await load(sim, { name: 'a', state: rename('First') }).expect(201);
    await load(sim, { name: 'b', state: rename('Second') }).expect(201);
    const names: string[] = [];

    for (const name of order) {
      await unload(sim, name);
      names.push(await nameOf(sim));
    }

    expect(names).toEqual(expected);
  });

  it('leave no changes when all are unloaded or the scenarios are reset', async () => {
    const sim = await boot({ now: NOW });
    const names: string[] = [];
    for (const end of [
      () => sim.control.delete('/scenarios'),
      () => sim.control.post('/reset?only=scenarios'),
    ]) {
      await load(sim, { name: 'a', state: rename('First') }).expect(201);
      await load(sim, { name: 'b', state: rename('Second') }).expect(201);
      await end().expect(204);
      names.push(await nameOf(sim));
    }

    expect(names).toEqual(['Empty Desk', 'Empty Desk']);
  });
});

describe('replacing a scenario with restore: true', () => {
  it('reverts its changes first', async () => {
    const sim = await boot({ now: NOW });
    await load(sim, { name: 'a', state: rename('First') }).expect(201);

    await load(sim, { name: 'a', rules: [] }).expect(201);

    expect(await nameOf(sim)).toBe('Empty Desk');
  });

  it('changes nothing when the new scenario cannot be loaded', async () => {
    const sim = await boot({ now: NOW });
    await load(sim, { name: 'a', state: rename('First') }).expect(201);
    const hash = await sim.control.get('/state/hash').expect(200);
    const state = { users: [{ match: { id: 'usr_404' }, set: { external_id: 'a' } }] };

    await load(sim, { name: 'a', state }).expect(400);

    expect((await sim.control.get('/state/hash')).body).toEqual(hash.body);
    await unload(sim, 'a');
    expect(await nameOf(sim)).toBe('Empty Desk');
  });
});

describe('a reset of the state', () => {
  it('discards the recorded changes, so that unloading reverts nothing', async () => {
    const sim = await boot({ now: NOW });
    await load(sim, { name: 'a', state: rename('First') }).expect(201);
    await sim.control.post('/reset?only=state').expect(204);
    await sim.api.patch(ORGANIZATION).send({ display_name: 'Called' }).expect(200);

    await unload(sim, 'a');

    expect(await nameOf(sim)).toBe('Called');
  });
});
