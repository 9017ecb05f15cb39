import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const ACME = 'org_10000000000000001';

describe('Control_GetRelated', () => {
  it('counts the rows that name a row, and names the first ones', async () => {
    const { control } = await boot();
    const where = encodeURIComponent(JSON.stringify({ organization_id: ACME }));
    const { total } = (await control.get(`/state/memberships?where=${where}`).expect(200)).body;

    const { body } = await control.get(`/state/organizations/${ACME}/related`).expect(200);

    const members = body.related.find((each: { collection: string }) => each.collection === 'memberships');
    expect(body.name).toBe('Acme Corp');
    expect(members).toMatchObject({ member: 'organization_id', count: total });
    expect(members.first[0].name).toMatch(/@acme\.example$/);
  });

  it('names the rows that a row refers to', async () => {
    const { control } = await boot();

    const { body } = await control.get('/state/memberships/mem_10000000000000006/related').expect(200);

    expect(body.references).toContainEqual({
      member: 'user_id',
      collection: 'users',
      id: 'usr_10000000000000105',
      name: 'lena@nordwind.example',
    });
    expect(body.name).toBe('lena@nordwind.example');
  });

  it('responds 404 for an unknown row', async () => {
    const { control } = await boot();

    await control.get('/state/organizations/org_404/related').expect(404);
  });
});

describe('Control_NameRows', () => {
  it('names the rows that exist, of all collections', async () => {
    const { control } = await boot();

    const { body } = await control
      .get(`/names?ids=${ACME},org_404,usr_10000000000000105,${ACME}`)
      .expect(200);

    expect(body.rows).toEqual([
      { id: ACME, collection: 'organizations', name: 'Acme Corp' },
      { id: 'usr_10000000000000105', collection: 'users', name: 'lena@nordwind.example' },
    ]);
  });
});

describe('Control_GetSnapshotState', () => {
  it('has the rows of that moment', async () => {
    const { control } = await boot();
    const before = (await control.get('/state').expect(200)).body;
    await control.post('/snapshots').send({ name: 'before' }).expect(201);
    await control.delete(`/state/organizations/${ACME}`).expect(204);

    const { body } = await control.get('/snapshots/before/state').expect(200);

    expect(body).toEqual(before);
    await control.get('/snapshots/after/state').expect(404);
  });
});
