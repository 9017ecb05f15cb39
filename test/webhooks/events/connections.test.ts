import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { toldBy } from '../../support/events.ts';
import { create, createReady, pathOf } from '../../support/connections.ts';
import { portalLink } from '../../support/portal.ts';
import { NORDWIND } from '../../support/fixture-ids.ts';

/** The events of one connection, oldest first. */
async function eventsOf(api: Agent, connection_id: string) {
  const { body } = await api.post('/api/v1/events/paginated').send({ connection_id }).expect(200);
  return (body.events as object[]).toReversed();
}

describe('the events of an organization connection', () => {
  it('cover its life from creation to deletion', async () => {
    const { api } = await boot();
    const connection = await createReady(api);
    await api.patch(`${pathOf(connection)}:disable`).expect(200);
    await api.delete(pathOf(connection)).expect(200);

    const data = { id: connection.id, organization_id: NORDWIND, connection_type: 'OIDC', provider: 'OKTA' };
    const about = { object: 'Connection', organization_id: NORDWIND };
    const [created, enabled, disabled, deleted, ...more] = await eventsOf(api, connection.id);
    expect(created).toMatchObject({ ...about, type: 'organization.sso_created' });
    expect(created).toHaveProperty('data', data);
    expect(enabled).toMatchObject({ ...about, type: 'organization.sso_enabled' });
    expect(enabled).toHaveProperty('data', { ...data, enabled: true, status: 'COMPLETED' });
    expect(disabled).toMatchObject({ ...about, type: 'organization.sso_disabled' });
    expect(disabled).toHaveProperty('data', { ...data, enabled: false, status: 'COMPLETED' });
    expect(deleted).toMatchObject({ ...about, type: 'organization.sso_deleted' });
    expect(deleted).toHaveProperty('data', data);
    expect(more).toEqual([]);
  });

  it('are emitted only when the state changes', async () => {
    const { api } = await boot();
    const connection = await create(api, { provider: 'OKTA', type: 'SAML' }, NORDWIND);
    await api.patch(`${pathOf(connection)}:enable`).expect(400);
    await api.patch(`${pathOf(connection)}:disable`).expect(200);

    expect(await eventsOf(api, connection.id)).toMatchObject([{ type: 'organization.sso_created' }]);
  });

  it('include sso_disabled when the connection loses a required setting', async () => {
    const { api } = await boot();
    const connection = await createReady(api);
    const update = (oidc_config: object) => api.patch(pathOf(connection)).send({ oidc_config }).expect(200);

    const events = await toldBy(api, async () => {
      await update({ issuer: 'https://other.example' });
      await update({ client_id: '' });
    });

    expect(events).toMatchObject([
      { type: 'organization.sso_disabled', data: { enabled: false, status: 'IN_PROGRESS' } },
    ]);
  });

  it('include connections that an administrator creates in the portal', async () => {
    const { api, anonymous, control } = await boot();
    const { headers } = await anonymous.get(await portalLink(api)).expect(302);
    const [cookie = ''] = String(headers['set-cookie']).split(';');
    const { csrf_token } = (await control.get('/state').expect(200)).body.portal_sessions[0];
    const form = { csrf_token, provider: 'OKTA', type: 'OIDC' };

    const events = await toldBy(api, () =>
      anonymous.post('/portal/connections').set({ cookie }).type('form').send(form).expect(303),
    );

    expect(events).toMatchObject([{ type: 'organization.sso_created', organization_id: NORDWIND }]);
  });
});

it('are not emitted for environment connections', async () => {
  const { api } = await boot();
  const connection = await create(
    api,
    { provider_key: 'HUBSPOT', type: 'OAUTH' },
    undefined,
    '?flags.is_app=true',
  );
  await api.patch(`${pathOf(connection)}:disable`).expect(200);
  await api.delete(pathOf(connection)).expect(200);

  expect(await eventsOf(api, connection.id)).toEqual([]);
});
