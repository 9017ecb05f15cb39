import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import { noPrefix, notFound, refusal } from '../../support/violations.ts';

const ACME = '/api/v1/organizations/org_10000000000000001';
const AT_NEW_YEAR = { now: '2030-01-01T00:00:00Z', baseUrl: 'https://idp.acme.example' };
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

describe('OrganizationService_GeneratePortalLink', () => {
  it('creates a link under the base URL that expires after a minute', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z', baseUrl: 'https://idp.acme.example' });

    const created = await api.put(`${ACME}/portal_links`).expect(200);

    const { link } = created.body;
    expect(link).toEqual({
      id: expect.stringMatching(/^lnk_\d{17,}$/),
      location: expect.stringMatching(new RegExp(`^https://idp\\.acme\\.example/magicLink/${UUID}_p$`)),
      expire_time: '2030-01-01T00:01:00.000Z',
    });
    const kept = await control.get(`/state/portal_links/${link.id}`).expect(200);
    expect(kept.body).toEqual({
      id: link.id,
      organization_id: 'org_10000000000000001',
      token: new URL(link.location).pathname.slice('/magicLink/'.length, -'_p'.length),
      features: [],
      expire_time: link.expire_time,
    });
  });

  it('creates a different link each time', async () => {
    const { api } = await boot();

    const [one, two] = [await api.put(`${ACME}/portal_links`), await api.put(`${ACME}/portal_links`)];

    expect(one.body.link.id).not.toBe(two.body.link.id);
    expect(one.body.link.location).not.toBe(two.body.link.location);
  });

  it.each([
    ['features=sso&features=dir_sync', ['sso', 'dir_sync']],
    ['features=dir_sync', ['dir_sync']],
    ['features=UNSPECIFIED', []],
    ['sso=true', ['sso']],
    ['directory_sync=true&sso=false', ['dir_sync']],
    ['features=sso&sso=true&directory_sync=true', ['sso', 'dir_sync']],
  ])('stores the features of %s: %j', async (query, features) => {
    const { api, control } = await boot();

    const { body } = await api.put(`${ACME}/portal_links?${query}`).expect(200);

    const kept = await control.get(`/state/portal_links/${body.link.id}`).expect(200);
    expect(kept.body.features).toEqual(features);
  });

  it('puts the name of the environment into the link', async () => {
    const booted = await boot();
    const { api } = await booted.environment('blue');

    const created = await api.put(`${ACME}/portal_links`).expect(200);

    expect(created.body.link.location).toMatch(new RegExp(`/magicLink/blue\\.${UUID}_p$`));
  });

  it('refuses an unknown feature and an invalid organization id', async () => {
    const { api } = await boot();

    const refused = await api.put('/api/v1/organizations/acme/portal_links?features=scim').expect(400);

    const undefinedFeature = {
      field: 'features[0]',
      description: 'value must be one of the defined enum values',
      constraint: 'enum.defined_only',
    };
    expect(refused.body).toEqual(refusal(noPrefix('org_')('id'), undefinedFeature));
  });

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    const refused = await api.put('/api/v1/organizations/org_9/portal_links').expect(404);

    expect(refused.body).toEqual(notFound('organization org_9 not found'));
  });
});

describe('OrganizationService_GetPortalLinks', () => {
  it('lists the links that can still be opened, newest first', async () => {
    const { api } = await boot(AT_NEW_YEAR);
    const one = await api.put(`${ACME}/portal_links`).expect(200);
    const two = await api.put(`${ACME}/portal_links`).expect(200);
    await api.put('/api/v1/organizations/org_10000000000000003/portal_links').expect(200);

    const listed = await api.get(`${ACME}/portal_links`).expect(200);

    expect(listed.body).toEqual({ links: [two.body.link, one.body.link] });
  });

  it('leaves out a link after one minute', async () => {
    const booted = await boot(AT_NEW_YEAR);
    const { body } = await booted.api.put(`${ACME}/portal_links`).expect(200);

    const before = await (await later(booted, '59999ms')).get(`${ACME}/portal_links`).expect(200);
    const after = await (await later(booted, '1ms')).get(`${ACME}/portal_links`).expect(200);

    expect(before.body).toEqual({ links: [body.link] });
    expect(after.body).toEqual({ links: [] });
  });

  it('leaves out a link that was opened', async () => {
    const { api, control } = await boot(AT_NEW_YEAR);
    const { body } = await api.put(`${ACME}/portal_links`).expect(200);
    await control.patch(`/state/portal_links/${body.link.id}`).send({ used_at: 'now' }).expect(200);

    const listed = await api.get(`${ACME}/portal_links`).expect(200);

    expect(listed.body).toEqual({ links: [] });
  });
});

describe('OrganizationService_DeletePortalLink', () => {
  it('deletes all links of the organization and no others', async () => {
    const { api, control } = await boot(AT_NEW_YEAR);
    await api.put(`${ACME}/portal_links`).expect(200);

    const deleted = await api.delete(`${ACME}/portal_links`).expect(200);

    expect(deleted.body).toEqual({});
    const kept = await control.get('/state/portal_links').expect(200);
    expect(kept.body.rows).toMatchObject([{ organization_id: 'org_10000000000000002' }]);
    await api.delete(`${ACME}/portal_links`).expect(200);
  });
});

describe('OrganizationService_DeletePortalLinkByID', () => {
  it('closes this link and no other', async () => {
    const { api, anonymous } = await boot();
    const [{ body: one }, { body: two }] = [
      await api.put(`${ACME}/portal_links`).expect(200),
      await api.put(`${ACME}/portal_links`).expect(200),
    ];

    await api.delete(`${ACME}/portal_links/${one.link.id}`).expect(200, {});

    await anonymous.get(new URL(one.link.location).pathname).expect(404);
    await anonymous.get(new URL(two.link.location).pathname).expect(302);
    await api.delete(`${ACME}/portal_links/${one.link.id}`).expect(404);
  });

  it('does not find a link of another organization', async () => {
    const { api } = await boot();
    const { body } = await api.put(`${ACME}/portal_links`).expect(200);

    const path = `/api/v1/organizations/org_10000000000000002/portal_links/${body.link.id}`;
    const refused = await api.delete(path).expect(404);

    expect(refused.body).toEqual(notFound(`portal link ${body.link.id} not found`));
    expect((await api.get(`${ACME}/portal_links`)).body.links).toHaveLength(1);
  });

  it('refuses an id without its prefix', async () => {
    const { api } = await boot();

    const refused = await api.delete(`${ACME}/portal_links/one`).expect(400);

    expect(refused.body).toEqual(refusal(noPrefix('lnk_')('link_id')));
  });
});

describe.each(['get', 'delete'] as const)('%s portal_links', (verb) => {
  it('requires a known organization', async () => {
    const { api } = await boot();

    const unknown = await api[verb]('/api/v1/organizations/org_9/portal_links').expect(404);
    const malformed = await api[verb]('/api/v1/organizations/acme/portal_links').expect(400);

    expect(unknown.body).toEqual(notFound('organization org_9 not found'));
    expect(malformed.body).toEqual(refusal(noPrefix('org_')('id')));
  });
});
