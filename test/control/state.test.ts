import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { COLLECTIONS } from '../../src/state/schema.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const ACME = '/state/organizations/org_10000000000000001';
const GLOBEX = {
  display_name: 'Globex',
  region_code: 'US',
  metadata: {},
  create_time: 'now-1d',
  update_time: 'now',
};

const hashOf = async (control: Agent) => (await control.get('/state/hash').expect(200)).body.hash as string;
const stateOf = async (control: Agent) => (await control.get('/state').expect(200)).body;

describe('Control_GetState', () => {
  it('has every collection, with the same rows as the list of the collection', async () => {
    const { control } = await boot();

    const state = await stateOf(control);

    expect(Object.keys(state).toSorted()).toEqual(COLLECTIONS.toSorted());
    for (const collection of COLLECTIONS) {
      const { body } = await control.get(`/state/${collection}`).expect(200);
      expect(body).toEqual({ rows: state[collection], total: state[collection].length });
    }
  });

  it('writes a large state in pieces, and it can be put back', async () => {
    const { control } = await boot();
    const state = await stateOf(control);
    const added = Array.from({ length: 2500 }, (_, i) => ({ ...GLOBEX, id: `org_9${i}` }));
    state.organizations.push(...added);
    await control.put('/state').send(state).expect(204);

    const { body, headers } = await control.get('/state').expect(200);
    await control.put('/state').send(body).expect(204);

    expect(headers).not.toHaveProperty('content-length');
    expect(body.organizations.map(({ id }: { id: string }) => id)).toEqual(
      state.organizations.map(({ id }: { id: string }) => id),
    );
    expect(await stateOf(control)).toEqual(body);
  });
});

describe('Control_CountRows', () => {
  it('has the number of rows of every collection, also after rows were added and removed', async () => {
    const { control } = await boot();
    const lengths = async () =>
      Object.fromEntries(
        Object.entries(await stateOf(control)).map(([name, rows]) => [name, (rows as unknown[]).length]),
      );
    const countsOf = async () => (await control.get('/state/counts').expect(200)).body.counts;
    const before = await countsOf();
    expect(before).toEqual(await lengths());

    await control.put('/state/organizations/org_1').send(GLOBEX).expect(200);
    const added = await countsOf();

    expect(added).toEqual(await lengths());
    expect(added.organizations).toBe(before.organizations + 1);
    await control.delete('/state/organizations/org_1').expect(204);
    expect(await countsOf()).toEqual(before);
  });
});

describe('Control_ListRows', () => {
  const inserted = [
    { id: 'org_10', display_name: 'Zebra' },
    { id: 'org_9', display_name: 'ant', external_id: 'erp-2' },
    { id: 'org_8', display_name: 'Mole', external_id: 'erp-10' },
  ];

  async function bootWithRows() {
    const { control } = await boot();
    const organizations = inserted.map((each) => ({ ...GLOBEX, ...each }));
    await control
      .put('/state')
      .send({ include: ['empty'], organizations })
      .expect(204);
    const list = async (query: object) => {
      const { body } = await control.get('/state/organizations').query(query).expect(200);
      return { ids: body.rows.map(({ id }: { id: string }) => id), total: body.total };
    };
    return { control, list };
  }

  it('has the rows of one page, and the number of all', async () => {
    const { list } = await bootWithRows();

    expect(await list({})).toEqual({ ids: ['org_10', 'org_9', 'org_8'], total: 3 });
    expect(await list({ limit: 2 })).toEqual({ ids: ['org_10', 'org_9'], total: 3 });
    expect(await list({ limit: 2, offset: 2 })).toEqual({ ids: ['org_8'], total: 3 });
    expect(await list({ limit: 0 })).toEqual({ ids: [], total: 3 });
    expect(await list({ offset: 7 })).toEqual({ ids: [], total: 3 });
    expect(await list({ reverse: true, limit: 1, offset: 1 })).toEqual({ ids: ['org_9'], total: 3 });
  });

  it('is sorted by a member: numbers by value, and rows without the member last', async () => {
    const { list } = await bootWithRows();

    expect((await list({ sort: 'id' })).ids).toEqual(['org_8', 'org_9', 'org_10']);
    expect((await list({ sort: 'display_name' })).ids).toEqual(['org_9', 'org_8', 'org_10']);
    expect((await list({ sort: 'external_id' })).ids).toEqual(['org_9', 'org_8', 'org_10']);
    expect((await list({ sort: 'external_id', reverse: true })).ids).toEqual(['org_8', 'org_9', 'org_10']);
    expect((await list({ sort: 'id', limit: 1, offset: 1 })).ids).toEqual(['org_9']);
  });

  it.each([
    ['display_nam', '; did you mean display_name?'],
    ['constructor', '; known: '],
  ])('is not sorted by %s, which no row can have', async (sort, hint) => {
    const { control } = await boot();

    const { body } = await control.get('/state/organizations').query({ sort }).expect(400);

    expect(body.message).toContain(`sort: a row of organization has no member ${sort}${hint}`);
  });

  it('has the rows that contain every word, on all pages', async () => {
    const { list } = await bootWithRows();

    expect(await list({ contains: 'ZEBRA' })).toEqual({ ids: ['org_10'], total: 1 });
    expect(await list({ contains: 'mole erp' })).toEqual({ ids: ['org_8'], total: 1 });
    expect(await list({ contains: 'erp', limit: 1, offset: 1 })).toEqual({ ids: ['org_8'], total: 2 });
    expect(await list({ contains: 'nobody' })).toEqual({ ids: [], total: 0 });
  });

  it('has the rows whose members have these values', async () => {
    const { control, list } = await bootWithRows();
    const where = (values: object) => ({ where: JSON.stringify(values) });

    expect(await list(where({ id: 'org_9' }))).toEqual({ ids: ['org_9'], total: 1 });
    expect(await list({ ...where({ id: 'org_9' }), contains: 'nobody' })).toEqual({ ids: [], total: 0 });
    for (const [wrong, message] of [
      [
        '{"display_nam":1}',
        'where: a row of organization has no member display_nam; did you mean display_name?',
      ],
      ['[]', 'where: it is not a JSON object'],
    ] as const) {
      const { body } = await control.get('/state/organizations').query({ where: wrong }).expect(400);
      expect(body.message).toContain(message);
    }
  });

  it('has a row that was changed since the last page', async () => {
    const { control, list } = await bootWithRows();
    expect(await list({ sort: 'id', contains: 'erp' })).toEqual({ ids: ['org_8', 'org_9'], total: 2 });

    await control.patch('/state/organizations/org_10').send({ external_id: 'erp-1' }).expect(200);
    await control.delete('/state/organizations/org_9').expect(204);

    expect(await list({ sort: 'id', contains: 'erp' })).toEqual({ ids: ['org_8', 'org_10'], total: 2 });
  });

  it('refuses a page that is too large', async () => {
    const { control } = await boot();

    const { text } = await control.get('/state/organizations?limit=1001').expect(400);

    expect(text).toContain('limit');
  });
});

describe('Control_GetStateHash', () => {
  it('changes with a row, and is restored with the row', async () => {
    const { control } = await boot();
    const before = await hashOf(control);

    await control.patch(ACME).send({ display_name: 'Acme AG' }).expect(200);
    const changed = await hashOf(control);
    await control.patch(ACME).send({ display_name: 'Acme Corp' }).expect(200);

    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(changed).not.toBe(before);
    expect(await hashOf(control)).toBe(before);
  });
});

describe.each(COLLECTIONS)('a row of %s', (collection) => {
  it('can be read, written back and patched with {} without any change', async () => {
    const { control } = await boot();
    const { body } = await control.get(`/state/${collection}`).expect(200);
    const before = await hashOf(control);

    for (const row of [body.rows.at(0), body.rows.at(-1)].filter(Boolean)) {
      const path = `/state/${collection}/${encodeURIComponent(row.id)}`;
      expect((await control.get(path).expect(200)).body).toEqual(row);
      expect((await control.put(path).send(row).expect(200)).body).toEqual(row);
      expect((await control.patch(path).send({}).expect(200)).body).toEqual(row);
    }
    expect(await hashOf(control)).toBe(before);
  });

  it('is refused with an unknown member or a value of the wrong type', async () => {
    const { control } = await boot();
    const { body } = await control.get(`/state/${collection}`).expect(200);
    const before = await hashOf(control);

    for (const row of body.rows.slice(0, 1)) {
      const path = `/state/${collection}/${encodeURIComponent(row.id)}`;
      const unknown = await control
        .put(path)
        .send({ ...row, no_such_member: 1 })
        .expect(400);
      expect(unknown.body.message).toContain('no_such_member');
      const [member] = Object.keys(row).filter((name) => name !== 'id');
      const wrong = await control.patch(path).send({ [member!]: { no: { such: ['value'] } } });
      // Some members are free JSON.
      if (wrong.status !== 200)
        expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining(member!)]);
      else await control.put(path).send(row).expect(200);
    }
    expect(await hashOf(control)).toBe(before);
  });
});

describe('Control_PutRow', () => {
  it('inserts a row and resolves relative times', async () => {
    const { api, control } = await boot({ now: NOW });

    const { body } = await control.put('/state/organizations/org_1').send(GLOBEX).expect(200);

    const times = { create_time: '2029-12-31T00:00:00.000Z', update_time: NOW };
    expect(body).toEqual({ ...GLOBEX, id: 'org_1', ...times });
    await api.get('/api/v1/organizations/org_1').expect(200);
  });

  it('refuses an id that differs from the path', async () => {
    const { control } = await boot();

    const { body } = await control
      .put('/state/organizations/org_1')
      .send({ ...GLOBEX, id: 'org_2' })
      .expect(400);

    expect(body.message).toBe('id: the path has org_1, but the row has org_2');
  });

  it('refuses a reference to a row that does not exist', async () => {
    const { control } = await boot();
    const [membership] = (await stateOf(control)).memberships;
    const before = await hashOf(control);

    const { body } = await control
      .put(`/state/memberships/${membership.id}`)
      .send({ ...membership, organization_id: 'org_404' })
      .expect(400);

    expect(body.message).toContain('organization_id: names org_404, and organizations has no such row');
    expect(await hashOf(control)).toBe(before);
  });
});

describe('Control_PatchRow', () => {
  it('merges members and removes those that are null', async () => {
    const { control } = await boot();

    const { body } = await control
      .patch(ACME)
      .send({ metadata: { plan: null, tier: 'gold' }, slug: null })
      .expect(200);

    expect(body.metadata).toEqual({ account_owner: 'Priya Shah', tier: 'gold' });
    expect(body).not.toHaveProperty('slug');
  });

  it.each([
    [
      ACME,
      { display_nam: 1 },
      'display_nam',
      'a row of organization has no member display_nam; did you mean display_name?',
    ],
    [
      '/state/memberships/mem_10000000000000002',
      { roles: ['admin'] },
      'roles',
      'a row of membership has no member roles; did you mean role_ids?',
    ],
    [
      ACME,
      { create_time: 'now-1w' },
      'create_time',
      'must be a time, such as 2026-03-01T09:00:00Z, now, now-14d or now+1h',
    ],
    [
      '/state/settings/settings',
      { rate_limit: { requests: 1, per: '1min' } },
      'rate_limit.per',
      'must be a duration longer than 0, such as 300ms, 5s, 15m, 25h or 14d',
    ],
    [ACME, { display_name: 7 }, 'display_name', 'must be string'],
  ])('of %s refuses %j at %s: %s', async (path, patch, field, description) => {
    const { control } = await boot();
    const row = (await control.get(path)).body;

    for (const refused of [
      await control.patch(path).send(patch),
      await control.put(path).send({ ...row, ...patch }),
    ]) {
      expect(refused.status).toBe(400);
      expect(refused.body.message).toContain(`${field}: ${description}`);
      expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
        { field, description },
      ]);
    }
  });

  it('refuses to change the id', async () => {
    const { control } = await boot();

    const { body } = await control.patch(ACME).send({ id: 'org_1' }).expect(400);

    expect(body.message).toContain("id: can't be changed");
  });
});

describe('Control_DeleteRow', () => {
  it('deletes a row and its dependents', async () => {
    const { api, control } = await boot();

    await control.delete(ACME).expect(204);

    await api.get('/api/v1/organizations/org_10000000000000001').expect(404);
    const { memberships } = await stateOf(control);
    const left = memberships.filter((row: { organization_id: string }) =>
      row.organization_id.endsWith('0001'),
    );
    expect(left).toEqual([]);
  });

  it('refuses to delete the settings', async () => {
    const { control } = await boot();

    const { body } = await control.delete('/state/settings/settings').expect(400);

    expect(body.message).toBe('settings: they cannot be deleted, because each environment has settings');
  });
});

describe('an unknown collection or row', () => {
  it.each([
    ['/state/organisations', 'collection organisations not found; did you mean organizations?'],
    ['/state/organisations/org_1', 'collection organisations not found; did you mean organizations?'],
    [
      '/state/organizations/org_10000000000000009',
      'organization org_10000000000000009 not found; did you mean org_10000000000000001?',
    ],
    ['/state/settings/x', 'settings x not found; known: settings'],
  ])('at %s gets a suggestion', async (path, message) => {
    const { control } = await boot({ fixture: 'small' });

    const { body } = await control.get(path).expect(404);

    expect(body.message).toBe(message);
  });

  it('cannot be patched or deleted', async () => {
    const { control } = await boot();
    const path = '/state/organizations/org_10000000000000009';

    const patched = await control.patch(path).send({}).expect(404);
    const deleted = await control.delete(path).expect(404);

    expect(patched.body.message).toContain('did you mean org_10000000000000001?');
    expect(deleted.body).toEqual(patched.body);
  });
});

describe('Control_PutState', () => {
  it('replaces all rows, and a reset restores the fixture', async () => {
    const { control } = await boot();
    const state = await stateOf(control);

    await control
      .put('/state')
      .send({ include: ['empty'], organizations: [{ ...GLOBEX, id: 'org_1' }] })
      .expect(204);

    const { organizations, users } = await stateOf(control);
    expect(organizations).toMatchObject([{ id: 'org_1', display_name: 'Globex' }]);
    expect(users).toEqual([]);
    await control.post('/reset').expect(204);
    expect((await stateOf(control)).organizations).toEqual(state.organizations);
  });

  it('accepts the output of GetState without any change', async () => {
    const { control } = await boot();
    const state = await stateOf(control);
    const before = await hashOf(control);

    await control.put('/state').send(state).expect(204);

    expect(await stateOf(control)).toEqual(state);
    expect(await hashOf(control)).toBe(before);
  });

  it.each(COLLECTIONS.filter((collection) => collection !== 'settings'))(
    'reports the path of an invalid row of %s and changes nothing',
    async (collection) => {
      const { control } = await boot();
      const state = await stateOf(control);
      const before = await hashOf(control);
      const bad = { ...state, [collection]: [...state[collection], { id: 7 }] };

      const { body } = await control.put('/state').send(bad).expect(400);

      expect(body.message).toContain(`fixture: ${collection}[${state[collection].length}]`);
      expect(await hashOf(control)).toBe(before);
    },
  );

  it.each([
    [{ organisations: [] }, 'fixture: organisations: no such collection; did you mean organizations?'],
    [{ incude: ['empty'] }, 'fixture: incude: no such collection; did you mean include?'],
    [
      { include: ['default'], organizations: [{ id: 'org_7', display_nam: 'A' }] },
      'fixture: organizations[0].display_nam: a row of organization has no member display_nam; did you mean display_name?',
    ],
    [{ include: ['default'], users: [{ id: 'org_7' }] }, 'fixture: users[0]: must have required property'],
    [{ include: ['emty'] }, 'fixture: include[0]: emty: no such name; did you mean empty?'],
    [{ include: ['foo'] }, 'fixture: include[0]: foo: no such name; known: catalogue, default, demo, empty'],
    [
      { include: ['nope'] },
      'fixture: include[0]: nope: no such name; known: catalogue, default, demo, empty',
    ],
    [{ include: 'empty' }, 'fixture: include: a list of fixture names'],
    [{}, 'fixture: settings: there must be one row'],
  ])('refuses %j and says why', async (fixture, message) => {
    const { control } = await boot();
    const before = await hashOf(control);

    const { body } = await control.put('/state').send(fixture).expect(400);

    expect(body.message).toContain(message);
    expect(await hashOf(control)).toBe(before);
  });
});
