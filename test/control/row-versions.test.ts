import { describe, expect, it } from 'vitest';
import { ControlClient, ControlError } from '@understudy/client/control';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { addressOf } from '../support/listening.ts';

const ACME = 'org_10000000000000001';
const ROW = `/state/organizations/${ACME}`;
const GLOBEX = { display_name: 'Globex', region_code: 'US', metadata: {} };

const stateOf = async ({ control }: Booted) => (await control.get('/state').expect(200)).body;
const undosOf = async ({ control }: Booted): Promise<{ id: string; verb: string; rows: number }[]> =>
  (await control.get('/undo').expect(200)).body.undos;
const etagOf = async (control: Agent) => (await control.get(ROW).expect(200)).headers['etag'] as string;

describe('the version of a row', () => {
  it('stays while the row stays, and changes with it', async () => {
    const { control } = await boot();
    const first = await etagOf(control);

    const { headers } = await control.patch(ROW).send({ slug: 'other' }).expect(200);

    expect(first).toMatch(/^"[0-9a-f]{16}"$/);
    expect(headers['etag']).not.toBe(first);
    expect(await etagOf(control)).toBe(headers['etag']);
    await control.patch(ROW).send({ slug: 'acme' }).expect(200);
    expect(await etagOf(control)).toBe(first);
  });

  it.each([
    ['PATCH', (control: Agent) => control.patch(ROW).send({ display_name: 'Mine' })],
    ['PUT', (control: Agent) => control.put(ROW).send(GLOBEX)],
    ['DELETE', (control: Agent) => control.delete(ROW)],
  ])('lets %s change only the row that was read, and the refusal shows the row', async (_, send) => {
    const booted = await boot();
    const { control } = booted;
    const version = await etagOf(control);
    await control.patch(ROW).send({ slug: 'theirs' }).expect(200);
    const before = await stateOf(booted);

    const { body } = await send(control).set({ 'if-match': version }).expect(412);

    expect(body.row.slug).toBe('theirs');
    expect(body.details[0].error_code).toBe('VERSION_MISMATCH');
    expect(await stateOf(booted)).toEqual(before);
    const { status } = await send(control).set({ 'if-match': `"${body.version}"` });
    expect(status).toBeLessThan(300);
  });

  it('refuses a version of another form', async () => {
    const { control } = await boot();

    await control.patch(ROW).set({ 'if-match': 'yesterday' }).send({ slug: 'x' }).expect(400);
  });

  it('is read and sent by the client', async () => {
    const { understudy, control } = await boot();
    const { state } = new ControlClient(addressOf(understudy.app));
    const { row, version } = await state.read('organizations', ACME);
    await control.patch(ROW).send({ slug: 'theirs' }).expect(200);

    const refused = state.patch('organizations', ACME, { display_name: 'Mine' }, { version });

    await expect(refused).rejects.toThrow(ControlError);
    expect(row).toMatchObject({ id: ACME, slug: 'acme' });
  });
});

describe('Control_Undo', () => {
  it.each([
    ['a change', (control: Agent) => control.patch(`${ROW}?undo=true`).send({ slug: 'mine' })],
    ['an insertion', (control: Agent) => control.put('/state/organizations/org_1?undo=true').send(GLOBEX)],
    ['a deletion with all that hangs on the row', (control: Agent) => control.delete(`${ROW}?undo=true`)],
  ])('takes back %s, and nothing else', async (_, send) => {
    const booted = await boot();
    const { control } = booted;
    const before = await stateOf(booted);
    expect((await send(control)).status).toBeLessThan(300);
    const users = '/state/users/usr_10000000000000105';
    await control
      .patch(users)
      .send({ metadata: { since: 'then' } })
      .expect(200);

    const [kept] = await undosOf(booted);
    await control.post(`/undo/${kept!.id}`).expect(204);

    const after = await stateOf(booted);
    expect(after.users.find(({ id }: { id: string }) => users.endsWith(id)).metadata).toEqual({
      since: 'then',
    });
    expect({ ...after, users: [] }).toEqual({ ...before, users: [] });
    expect(await undosOf(booted)).toEqual([]);
    await control.post(`/undo/${kept!.id}`).expect(400);
  });

  it('forgets changes whose rows have changed since, such as by a reset', async () => {
    const booted = await boot();
    const { control } = booted;
    await control.patch(`${ROW}?undo=true`).send({ slug: 'one' }).expect(200);
    await control.put('/state/organizations/org_1?undo=true').send(GLOBEX).expect(200);
    await control.patch(ROW).send({ slug: 'two' }).expect(200);

    expect(await undosOf(booted)).toMatchObject([{ id: 'undo_2', verb: 'insert', row: 'org_1', rows: 1 }]);
    await control.post('/undo/undo_1').expect(400);
    await control.post('/reset').expect(204);

    expect(await undosOf(booted)).toEqual([]);
    const { body } = await control.post('/undo/undo_7').expect(404);
    expect(body.message).toBe('undo undo_7 not found; there are none');
  });

  it('takes back several changes of a row, the last one first', async () => {
    const booted = await boot();
    const { control } = booted;
    for (const slug of ['one', 'two']) await control.patch(`${ROW}?undo=true`).send({ slug }).expect(200);

    await control.post('/undo/undo_1').expect(400);
    await control.post('/undo/undo_2').expect(204);
    expect((await control.get(ROW).expect(200)).body.slug).toBe('one');
    await control.post('/undo/undo_1').expect(204);

    expect((await control.get(ROW).expect(200)).body.slug).toBe('acme');
  });

  it('keeps no change of more than 20,000 rows', async () => {
    const booted = await boot();
    const { control } = booted;
    const state = await stateOf(booted);
    const [link] = state.portal_links;
    const id = (number: number) => `lnk_${9_000_000_000_000_000 + number}`;
    for (let made = 0; made < 20_000; made += 1)
      state.portal_links.push({ ...link, id: id(made), organization_id: ACME });
    await control.put('/state').send(state).expect(204);

    await control.delete(`${ROW}?undo=true`).expect(204);

    expect(await undosOf(booted)).toEqual([]);
    await control.patch('/state/settings/settings?undo=true').send({ default_page_size: 11 }).expect(200);
    expect(await undosOf(booted)).toMatchObject([{ verb: 'change', rows: 1 }]);
  });

  it('keeps the ten latest changes of its own environment, and none without `undo`', async () => {
    const booted = await boot();
    const { control, environment } = booted;
    for (let number = 1; number <= 12; number += 1)
      await control.put(`/state/organizations/org_${number}?undo=true`).send(GLOBEX).expect(200);
    await control.patch(ROW).send({ slug: 'unseen' }).expect(200);

    const kept = await undosOf(booted);

    expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => `undo_${index + 3}`));
    const other = await environment('other');
    expect((await other.control.get('/undo').expect(200)).body).toEqual({ undos: [] });
  });
});
