import { describe, expect, it } from 'vitest';
import { boot, tokenOf } from '../../support/boot.ts';
import { invalid, notFound, refusal, required, tooLong, tooShort } from '../../support/violations.ts';
import { ACME, EMPTY_DESK } from '../../support/fixture-ids.ts';

const PATH = '/api/v1/organizations';

describe('OrganizationService_GetOrganizationByExternalId', () => {
  it('finds the organization only by its external id', async () => {
    const { api } = await boot({ fixture: 'small' });

    const found = await api.get(`${PATH}:external/crm-acme`).expect(200);
    const byId = await api.get(`${PATH}:external/${ACME}`).expect(404);

    const read = await api.get(`${PATH}/${ACME}`).expect(200);
    expect(found.body).toEqual(read.body);
    expect(byId.body).toEqual(notFound(`organization ${ACME} not found`));
  });

  it('accepts any character in an external id', async () => {
    const { api } = await boot({ fixture: 'small' });
    const external_id = 'kunde/7: "Ü" & Söhne?';
    await api.post(PATH).send({ display_name: 'Söhne', external_id }).expect(201);

    const found = await api.get(`${PATH}:external/${encodeURIComponent(external_id)}`).expect(200);

    expect(found.body.organization).toMatchObject({ display_name: 'Söhne', external_id });
  });

  it('refuses an id together with the external id', async () => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${PATH}:external/crm-acme?id=${ACME}`).expect(400);

    expect(refused.body).toEqual(invalid('id and external_id are mutually exclusive'));
  });

  it('lets a client of an organization read only its own organization', async () => {
    const { api, understudy } = await boot({ fixture: 'small' });
    await api.patch(`${PATH}/${EMPTY_DESK}`).send({ external_id: 'crm-desk' }).expect(200);
    const client = { client_id: 'm2morg_10000000000000001', client_secret: 'test_acme_m2m_secret' };
    const token = await tokenOf(understudy.app, client);
    const get = (id: string) => api.get(`${PATH}:external/${id}`).set({ authorization: `Bearer ${token}` });

    const own = await get('crm-acme').expect(200);
    const other = await get('crm-desk').expect(400);

    expect(own.body.organization.id).toBe(ACME);
    expect(other.body).toEqual(invalid('the client belongs to another organization than crm-desk'));
  });
});

describe('OrganizationService_SearchOrganization', () => {
  it.each([
    ['a part of the name', 'WIND', ['Nordwind GmbH']],
    ['the id', 'Org_10000000000000003', ['Empty Desk']],
    ['a part of all ids', 'org_', ['Empty Desk', 'Nordwind GmbH', 'Acme Corp']],
    ['the external id', 'CRM-acme', ['Acme Corp']],
    ['a text without matches', 'zzz', []],
    ['metadata (not searched)', 'enterprise', []],
  ])('searches for %s and answers newest first', async (_, query, names) => {
    const { api } = await boot({ fixture: 'small' });

    const found = await api.get(`${PATH}:search?query=${query}`).expect(200);

    expect(found.body).toMatchObject({ total_size: names.length, next_page_token: '', prev_page_token: '' });
    expect(found.body.organizations.map((each: { display_name: string }) => each.display_name)).toEqual(
      names,
    );
  });

  it('pages through the results and counts them', async () => {
    const { api } = await boot({ fixture: 'small' });
    const at = (query: string) => api.get(`${PATH}:search?query=org&${query}`).expect(200);

    const first = await at('page_size=2');
    const second = await at(`page_size=2&page_token=${first.body.next_page_token}`);

    expect(first.body).toMatchObject({ total_size: 3, organizations: [{ id: EMPTY_DESK }, {}] });
    expect(second.body).toMatchObject({ total_size: 3, organizations: [{ id: ACME }], next_page_token: '' });
  });

  it.each([
    ['', required('query')],
    ['?query=ab', tooShort(3)('query')],
    [`?query=${'x'.repeat(101)}`, tooLong(100)('query')],
    [
      '?query=acme&page_size=31',
      {
        field: 'page_size',
        description: 'value must be less than or equal to 30',
        constraint: 'uint32.lte',
      },
    ],
  ])('refuses %j', async (query, violation) => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${PATH}:search${query}`).expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });

  it('answers at most 30 organizations per page, even with a larger default', async () => {
    const { api, control } = await boot({ fixture: 'empty' });
    await control.patch('/state/settings/settings').send({ default_page_size: 31 }).expect(200);
    for (let i = 1; i <= 31; i += 1)
      await api
        .post(PATH)
        .send({ display_name: `No ${i}` })
        .expect(201);

    const found = await api.get(`${PATH}:search?query=org_`).expect(200);

    expect(found.body.organizations).toHaveLength(30);
  });

  it('accepts a query of 100 characters and a page size of 30', async () => {
    const { api } = await boot({ fixture: 'small' });

    const found = await api.get(`${PATH}:search?query=${'x'.repeat(100)}&page_size=30`);

    expect(found.status).toBe(200);
  });
});

describe('the update_mask of OrganizationService_UpdateOrganization', () => {
  const update = { display_name: 'New', external_id: 'crm-acme-2', metadata: { plan: 'free' } };

  it.each([
    ['display_name', { display_name: 'New', external_id: 'crm-acme' }],
    ['displayName,externalId', { display_name: 'New', external_id: 'crm-acme-2' }],
    ['logo_url', { display_name: 'Acme Corp', external_id: 'crm-acme' }],
    ['', { display_name: 'New', external_id: 'crm-acme-2', metadata: { plan: 'free' } }],
  ])('applies only the fields in %j', async (mask, changed) => {
    const { api } = await boot({ fixture: 'small' });

    const updated = await api.patch(`${PATH}/${ACME}?update_mask=${mask}`).send(update).expect(200);

    expect(updated.body.organization).toMatchObject({ slug: 'acme', ...changed });
  });

  it('empties a named field that the body lacks, but not the name', async () => {
    const { api } = await boot({ fixture: 'small' });

    const emptied = await api.patch(`${PATH}/${ACME}?update_mask=slug,metadata`).send({}).expect(200);
    const refused = await api.patch(`${PATH}/${ACME}?update_mask=display_name`).send({}).expect(400);

    expect(emptied.body.organization).toMatchObject({ external_id: 'crm-acme', metadata: {} });
    expect(emptied.body.organization).not.toHaveProperty('slug');
    expect(refused.body).toEqual(invalid('display_name of an organization cannot be empty'));
  });

  it('refuses fields that cannot be updated', async () => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.patch(`${PATH}/${ACME}?update_mask=region_code`).send(update).expect(400);

    expect(refused.body).toEqual(
      invalid(
        'the mask names region_code, which cannot be updated. ' +
          'These can: display_name, external_id, metadata, slug, logo_url',
      ),
    );
  });
});
