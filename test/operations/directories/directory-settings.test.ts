import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { DISABLED, EMPTY_DESK, makeDirectory, NORDWIND, OKTA } from '../../support/directories.ts';
import { toldBy, typesOf } from '../../support/events.ts';
import { portalCookie } from '../../support/portal.ts';
import { tokensOf } from '../oauth-support.ts';
import { refusal, tooShort } from '../../support/violations.ts';
import { later } from '../../support/later.ts';

const NOW = '2026-03-02T09:00:00.000Z';

describe('DirectoryService_UpdateDirectory', () => {
  it('changes what is given', async () => {
    const { api } = await boot();
    const change = {
      name: 'People',
      directory_type: 'SCIM',
      directory_provider: 'ONELOGIN',
      enabled: true,
      status: 'IN_PROGRESS',
      mappings: [{ key: 'team', map_to: 'department', display_name: 'Team' }],
    };

    const events = await toldBy(api, async () => {
      const { body } = await api.patch(DISABLED).send(change).expect(200);
      expect(body.directory).toMatchObject({
        name: 'People',
        directory_type: 'SCIM',
        directory_provider: 'ONELOGIN',
        enabled: true,
        status: 'IN_PROGRESS',
        attribute_mappings: { attributes: [{ key: 'team', map_to: 'department' }] },
      });
      expect((await api.get(DISABLED).expect(200)).body).toEqual(body);
    });
    expect(typesOf(events)).toEqual(['organization.directory_enabled']);
  });

  it('leaves what is not given, and does not disable', async () => {
    const { api } = await boot();
    const { body: before } = await api.get(OKTA).expect(200);

    const { body } = await api
      .patch(OKTA)
      .send({ name: 'Okta', enabled: false, directory_provider: 'DIRECTORY_PROVIDER_UNSPECIFIED' })
      .expect(200);

    expect(body.directory).toEqual({ ...before.directory, name: 'Okta' });
  });

  it('wants a name', async () => {
    const { api } = await boot();

    const refused = await api.patch(OKTA).send({ status: 'COMPLETED' }).expect(400);

    expect(refused.body).toEqual(refusal(tooShort(1)('directory.name')));
  });

  it('learns groups of the provider, which the next sync brings', async () => {
    const { api } = await boot();
    const { id } = await makeDirectory(api, EMPTY_DESK, {
      directory_type: 'POLL',
      directory_provider: 'GOOGLE',
    });
    const path = `${EMPTY_DESK}/${id}`;
    const groups = [
      { external_id: 'g1', display_name: 'Sales', email: 'sales@desk.example' },
      { external_id: 'g2', display_name: 'Support', email: 'support@desk.example' },
    ];

    await api.patch(path).send({ name: 'Desk', groups }).expect(200);
    const renamed = { external_id: 'g1', display_name: 'Sales EMEA', email: 'emea@desk.example' };
    const { body } = await api
      .patch(path)
      .send({ name: 'Desk', groups: [renamed] })
      .expect(200);

    expect(body.directory).toMatchObject({ groups_tracked: 'SELECTED', total_groups: 0 });
    await api.get(`${path}:sync`).expect(200);
    const tracked = await api.get(`${path}/groups?include_detail=true`).expect(200);
    expect(tracked.body.groups).toMatchObject([
      { display_name: 'Sales EMEA', group_detail: { external_id: 'g1', email: 'emea@desk.example' } },
    ]);
    const all = await api.get(`${path}/groups?include_external_groups=true`).expect(200);
    expect(all.body.total_size).toBe(2);
  });
});

describe('DirectoryService_UpdateAttributes', () => {
  it('replaces the mappings', async () => {
    const { api } = await boot();
    const attributes = [{ key: 'title', map_to: 'job' }];

    const { body } = await api.put(`${OKTA}/attributes`).send({ attributes }).expect(200);

    expect(body).toEqual({ attribute_mappings: { attributes } });
    expect((await api.get(OKTA)).body.directory.attribute_mappings).toEqual({ attributes });
    await api.put(`${OKTA}/attributes`).expect(200, { attribute_mappings: { attributes: [] } });
  });
});

describe('DirectoryService_RegenerateDirectorySecret', () => {
  it('makes a secret; the old one ends in a day', async () => {
    const booted = await boot({ now: NOW });
    const { api } = booted;

    const made = await api.post(`${OKTA}/secrets:regenerate`).expect(200);

    expect(made.headers['cache-control']).toBe('no-store');
    const { plain_secret, secret } = made.body;
    expect(secret).toMatchObject({ status: 'ACTIVE', secret_suffix: plain_secret.slice(-4) });
    const [ended, old, fresh] = (await api.get(OKTA)).body.directory.secrets;
    expect(ended).toMatchObject({ status: 'INACTIVE', expire_time: '2026-02-11T09:00:00.000Z' });
    expect(old).toMatchObject({ status: 'ACTIVE', expire_time: '2026-03-03T09:00:00.000Z' });
    expect(fresh).toEqual(secret);

    const after = await later(booted, '24h');
    const states = (await after.get(OKTA)).body.directory.secrets;
    expect(states.map(({ status }: { status: string }) => status)).toEqual([
      'INACTIVE',
      'INACTIVE',
      'ACTIVE',
    ]);
  });

  it('does not prolong a secret that ends earlier', async () => {
    const booted = await boot({ now: NOW });
    await booted.api.post(`${OKTA}/secrets:regenerate`).expect(200);
    const after = await later(booted, '1h');

    await after.post(`${OKTA}/secrets:regenerate`).expect(200);

    const { secrets } = (await after.get(OKTA)).body.directory;
    expect(secrets.map(({ expire_time }: { expire_time: string }) => expire_time).slice(1)).toEqual([
      '2026-03-03T09:00:00.000Z',
      '2026-03-03T10:00:00.000Z',
      '0001-01-01T00:00:00Z',
    ]);
  });
});

describe('the context of a directory', () => {
  const asAda = async (booted: Booted) => ({
    authorization: `Bearer ${(await tokensOf(booted)).access_token}`,
  });

  it('is empty at first, and replaced as a whole', async () => {
    const booted = await boot();
    const token = await asAda(booted);
    const path = `${OKTA}/contexts`;

    await booted.anonymous.get(path).set(token).expect(200, { context: {} });
    await booted.anonymous
      .put(path)
      .set(token)
      .send({ step: 2, done: ['provider'] })
      .expect(200, {});
    await booted.anonymous
      .get(path)
      .set(token)
      .expect(200, { context: { step: 2, done: ['provider'] } });
    await booted.anonymous.put(path).set(token).send({ step: 3 }).expect(200, {});
    await booted.anonymous
      .get(path)
      .set(token)
      .expect(200, { context: { step: 3 } });
    await booted.anonymous.put(path).set(token).expect(200, {});
    await booted.anonymous.get(path).set(token).expect(200, { context: {} });
    expect((await booted.api.get(OKTA)).body.directory).not.toHaveProperty('context');
  });

  it('is for the admin portal of the organization, too', async () => {
    const booted = await boot();
    const cookie = await portalCookie(booted);
    const own = `${NORDWIND}/dir_10000000000000603/contexts`;

    await booted.anonymous.put(own).set({ cookie }).send({ step: 1 }).expect(200);
    await booted.anonymous
      .get(own)
      .set({ cookie })
      .expect(200, { context: { step: 1 } });
    await booted.anonymous.get(`${OKTA}/contexts`).set({ cookie }).expect(403);
    await booted.anonymous.get(own).expect(401);
  });

  it('is for users of the organization', async () => {
    const booted = await boot();
    const token = await asAda(booted);

    await booted.api.get(`${OKTA}/contexts`).expect(403);
    await booted.api.put(`${OKTA}/contexts`).send({}).expect(403);
    await booted.anonymous.get(`${NORDWIND}/dir_10000000000000603/contexts`).set(token).expect(403);
    await booted.anonymous.get(`${OKTA}9/contexts`).set(token).expect(404);
  });
});
