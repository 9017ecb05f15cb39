import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import {
  invalid,
  notFound,
  pairs,
  refusal,
  required,
  tooLong,
  tooManyPairs,
  tooShort,
} from '../../support/violations.ts';

const PATH = '/api/v1/organizations';
const ACME = `${PATH}/org_10000000000000001`;
const SLUG = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$';

const notASlug = (pattern: string) => ({
  field: 'organization.slug',
  description: `value does not match regex pattern \`${pattern}\``,
  constraint: 'string.pattern',
});

async function create(api: Agent, wanted: object = { display_name: 'Acme' }): Promise<{ id: string }> {
  const { body } = await api.post(PATH).send(wanted).expect(201);
  return body.organization;
}

/** Values that both create and update refuse, with the expected violation. */
const BAD_VALUES = [
  ['an empty name', { display_name: '' }, tooShort(1)('organization.display_name')],
  ['a name of 201 characters', { display_name: 'n'.repeat(201) }, tooLong(200)('organization.display_name')],
  ['an 11th pair of metadata', { metadata: pairs(11) }, tooManyPairs(10)('organization.metadata')],
  ['a metadata key of 2 characters', { metadata: { ab: 'x' } }, tooShort(3)('organization.metadata["ab"]')],
  [
    'a metadata key of 26 characters',
    { metadata: { ['k'.repeat(26)]: 'x' } },
    tooLong(25)(`organization.metadata["${'k'.repeat(26)}"]`),
  ],
  [
    'a short metadata key with a slash and a quote',
    { metadata: { '/"': 'x' } },
    tooShort(3)('organization.metadata["/\\""]'),
  ],
  ['a short metadata key of digits', { metadata: { 12: 'x' } }, tooShort(3)('organization.metadata["12"]')],
  ['an empty metadata value', { metadata: { plan: '' } }, tooShort(1)('organization.metadata["plan"]')],
  [
    'a metadata value of 257 characters',
    { metadata: { plan: 'x'.repeat(257) } },
    tooLong(256)('organization.metadata["plan"]'),
  ],
  [
    'a logo address of 1025 characters',
    { logo_url: 'x'.repeat(1025) },
    tooLong(1024)('organization.logo_url'),
  ],
  [
    'an external id of 256 characters',
    { external_id: 'x'.repeat(256) },
    tooLong(255)('organization.external_id'),
  ],
  ['a slug of 254 characters', { slug: 'ab.'.repeat(84) + 'ab' }, tooLong(253)('organization.slug')],
] as const;

const FULLEST = {
  display_name: '🏢'.repeat(200),
  external_id: 'x'.repeat(255),
  metadata: { ...pairs(8), abc: 'v', ['k'.repeat(25)]: '€'.repeat(256) },
  slug: `${'a'.repeat(63)}.b-2.c`,
  logo_url: `https://cdn.example/${'l'.repeat(1004)}`,
};

describe('OrganizationService_CreateOrganization', () => {
  it('stores the organization', async () => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });

    const created = await api.post(PATH).send({ display_name: 'Acme' }).expect(201);

    const organization = {
      id: expect.stringMatching(/^org_\d{17,}$/),
      display_name: 'Acme',
      region_code: 'US',
      metadata: {},
      create_time: '2030-01-01T00:00:00.000Z',
      update_time: '2030-01-01T00:00:00.000Z',
    };
    expect(created.body).toEqual({ organization });
    const read = await api.get(`${PATH}/${created.body.organization.id}`).expect(200);
    expect(read.body).toEqual(created.body);
  });

  it('accepts all fields at their maximum lengths, counted in characters', async () => {
    const { api } = await boot();

    const created = await api
      .post(PATH)
      .send({ ...FULLEST, region_code: 'EU' })
      .expect(201);

    expect(created.body.organization).toMatchObject({ ...FULLEST, region_code: 'EU' });
  });

  it.each(BAD_VALUES)('refuses %s and names the field', async (_, wrong, violation) => {
    const { api } = await boot({ fixture: 'empty' });

    const refused = await api
      .post(PATH)
      .send({ display_name: 'Acme', ...wrong })
      .expect(400);

    expect(refused.body).toEqual(refusal(violation));
    const list = await api.get(PATH).expect(200);
    expect(list.body.total_size).toBe(0);
  });

  it.each(['Upper', '-dash', 'dash-', 'two..dots', 'under_score', 'a'.repeat(64)])(
    'refuses the slug %s, which is not a DNS name',
    async (slug) => {
      const { api } = await boot();

      const refused = await api.post(PATH).send({ display_name: 'Acme', slug }).expect(400);

      expect(refused.body).toEqual(refusal(notASlug(`^${SLUG}`)));
    },
  );

  it('lists all violations in the order of the fields and of the map keys', async () => {
    const { api } = await boot();
    const long = 'k'.repeat(26);
    const metadata = { ab: 'x', [long]: '', c: 'x' };

    const refused = await api.post(PATH).send({ display_name: '', metadata, slug: '' }).expect(400);

    expect(refused.body).toEqual(
      refusal(
        tooShort(1)('organization.display_name'),
        tooShort(3)('organization.metadata["ab"]'),
        tooLong(25)(`organization.metadata["${long}"]`),
        tooShort(3)('organization.metadata["c"]'),
        tooShort(1)(`organization.metadata["${long}"]`),
        tooShort(1)('organization.slug'),
        notASlug(`^${SLUG}`),
      ),
    );
  });

  it('requires a name and a known region', async () => {
    const { api } = await boot();

    const refused = await api.post(PATH).send({ region_code: 'MARS' }).expect(400);

    const noRegion = {
      field: 'organization.region_code',
      description: 'value must be one of the defined enum values',
      constraint: 'enum.defined_only',
    };
    expect(refused.body).toEqual(refusal(tooShort(1)('organization.display_name'), noRegion));
  });

  it('requires a body', async () => {
    const { api } = await boot();

    const refused = await api.post(PATH).expect(400);

    expect(refused.body).toEqual(refusal(required('organization')));
  });

  it.each(['external_id', 'slug'])('refuses a taken %s and stores nothing', async (key) => {
    const { api } = await boot({ fixture: 'empty' });
    await create(api, { display_name: 'Acme', [key]: 'crm-1' });

    const refused = await api
      .post(PATH)
      .send({ display_name: 'Other', [key]: 'crm-1' })
      .expect(400);

    expect(refused.body).toEqual(invalid(`duplicate ${key} crm-1`));
    const list = await api.get(PATH).expect(200);
    expect(list.body.total_size).toBe(1);
  });

  it('accepts duplicate names and empty external ids', async () => {
    const { api } = await boot({ fixture: 'empty' });

    await create(api, { display_name: 'Acme', external_id: '' });
    const second = await create(api, { display_name: 'Acme', external_id: '' });

    expect(second).not.toHaveProperty('external_id');
  });

  it('frees the external id and the slug when the organization is deleted', async () => {
    const { api } = await boot();
    const wanted = { display_name: 'Acme', external_id: 'crm-1', slug: 'auth.acme.example' };
    const { id } = await create(api, wanted);
    await api.delete(`${PATH}/${id}`).expect(200);

    const again = await create(api, wanted);

    expect(again).toMatchObject(wanted);
  });
});

describe('OrganizationService_GetOrganization', () => {
  it('returns the stored organization without its seat limit', async () => {
    const { api } = await boot();

    const read = await api.get(`${PATH}/org_10000000000000002`).expect(200);

    expect(read.body).toEqual({
      organization: {
        id: 'org_10000000000000002',
        create_time: '2026-01-12T09:00:00.000Z',
        update_time: '2026-01-12T09:00:00.000Z',
        display_name: 'Nordwind GmbH',
        region_code: 'EU',
        metadata: {},
      },
    });
  });

  it('accepts an id with any prefix, but no external id', async () => {
    const { api } = await boot();

    const refused = await api.get(`${PATH}/crm-acme`).expect(404);

    expect(refused.body).toEqual(notFound('organization crm-acme not found'));
  });

  it('refuses an id of 33 characters', async () => {
    const { api } = await boot();

    const refused = await api.get(`${PATH}/${'x'.repeat(33)}`).expect(400);

    expect(refused.body).toEqual(refusal(tooLong(32)('id')));
  });
});

describe('OrganizationService_UpdateOrganization', () => {
  it('changes only the given fields', async () => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });
    const before = await api.get(ACME).expect(200);

    const updated = await api.patch(ACME).send({ display_name: 'Acme Inc', region_code: 'EU' }).expect(200);

    const organization = {
      ...before.body.organization,
      display_name: 'Acme Inc',
      update_time: '2030-01-01T00:00:00.000Z',
    };
    expect(updated.body).toEqual({ organization });
    expect(updated.headers['understudy-warnings']).toBe('unknown: region_code');
    const read = await api.get(ACME).expect(200);
    expect(read.body).toEqual({ organization });
  });

  it('replaces metadata as a whole', async () => {
    const { api } = await boot();

    const updated = await api
      .patch(ACME)
      .send({ metadata: { plan: 'free' } })
      .expect(200);

    expect(updated.body.organization.metadata).toEqual({ plan: 'free' });
  });

  it('accepts all fields at their maximum lengths', async () => {
    const { api } = await boot();

    const updated = await api.patch(ACME).send(FULLEST).expect(200);

    expect(updated.body.organization).toMatchObject(FULLEST);
  });

  it('removes slug, logo and external id when they are empty', async () => {
    const { api } = await boot();
    const { id } = await create(api, {
      display_name: 'A',
      slug: 'a',
      logo_url: 'https://a',
      external_id: 'a',
    });

    const updated = await api
      .patch(`${PATH}/${id}`)
      .send({ slug: '', logo_url: '', external_id: '' })
      .expect(200);

    const kept = ['id', 'create_time', 'update_time', 'display_name', 'region_code', 'metadata'];
    expect(Object.keys(updated.body.organization).toSorted()).toEqual(kept.toSorted());
  });

  it.each(BAD_VALUES)('refuses %s and changes nothing', async (_, wrong, violation) => {
    const { api } = await boot();
    const before = await api.get(ACME).expect(200);

    const refused = await api.patch(ACME).send(wrong).expect(400);

    expect(refused.body).toEqual(refusal(violation));
    const after = await api.get(ACME).expect(200);
    expect(after.body).toEqual(before.body);
  });

  it('refuses a slug that is not a DNS name', async () => {
    const { api } = await boot();

    const refused = await api.patch(ACME).send({ slug: 'Upper' }).expect(400);

    expect(refused.body).toEqual(refusal(notASlug(`^$|^${SLUG}`)));
  });

  it.each(['external_id', 'slug'])(
    'refuses the %s of another organization but accepts its own',
    async (key) => {
      const { api } = await boot();
      const first = await create(api, { display_name: 'First', [key]: 'one' });
      const second = await create(api, { display_name: 'Second', [key]: 'two' });

      const refused = await api
        .patch(`${PATH}/${second.id}`)
        .send({ [key]: 'one' })
        .expect(400);

      expect(refused.body).toEqual(invalid(`duplicate ${key} one`));
      await api
        .patch(`${PATH}/${first.id}`)
        .send({ [key]: 'one' })
        .expect(200);
    },
  );

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    const refused = await api.patch(`${PATH}/org_9`).send({ display_name: 'X' }).expect(404);

    expect(refused.body).toEqual(notFound('organization org_9 not found'));
  });
});

describe('OrganizationService_DeleteOrganization', () => {
  it('deletes the rows of the organization and users without another membership', async () => {
    const { api, control } = await boot({ fixture: 'small' });
    await api.put(`${ACME}/portal_links`).expect(200);
    const before = (await control.get('/state').expect(200)).body;

    const deleted = await api.delete(ACME).expect(200);

    expect(deleted.body).toEqual({});
    const after = (await control.get('/state').expect(200)).body;
    const members = before.memberships.filter((m: { organization_id: string }) =>
      ACME.endsWith(m.organization_id),
    );
    const others = after.memberships.map((m: { user_id: string }) => m.user_id);
    for (const collection of ['memberships', 'roles', 'clients', 'connections', 'portal_links']) {
      expect(JSON.stringify(before[collection]), collection).toContain('org_10000000000000001');
      expect(JSON.stringify(after[collection]), collection).not.toContain('org_10000000000000001');
    }
    expect(JSON.stringify(after.connected_accounts)).not.toContain('org_10000000000000001');
    const stay = members.filter((m: { user_id: string }) => others.includes(m.user_id));
    expect(stay.map((m: { user_id: string }) => m.user_id)).toEqual(['usr_10000000000000103']);
    const users = after.users.map((user: { id: string }) => user.id);
    expect(users).toEqual(['usr_10000000000000103', 'usr_10000000000000105', 'usr_10000000000000107']);
  });

  it('is permanent', async () => {
    const { api } = await boot();
    await api.delete(ACME).expect(200);

    const read = await api.get(ACME).expect(404);
    const again = await api.delete(ACME).expect(404);

    expect(read.body).toEqual(notFound('organization org_10000000000000001 not found'));
    expect(again.body).toEqual(read.body);
  });
});
