import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { toldBy, typesOf } from '../../support/events.ts';
import { ACME } from '../../support/fixture-ids.ts';

const PATH = '/api/v1/organizations';
const NOON = '2030-01-01T12:00:00.000Z';
const LATER = '2030-01-01T13:00:00.000Z';

describe('the events of an organization', () => {
  it('cover its life from creation to deletion', async () => {
    const { api, control } = await boot({ now: NOON });
    let id = '';

    const events = await toldBy(api, async () => {
      const { body } = await api.post(PATH).send({ display_name: 'Fjord', external_id: 'crm-9' }).expect(201);
      id = body.organization.id;
      await control.post('/clock/advance').send({ by: '1h' }).expect(200);
      await api
        .patch(`${PATH}/${id}`)
        .send({ display_name: 'Fjord AS', metadata: { tier: 'gold' } })
        .expect(200);
      await api.delete(`${PATH}/${id}`).expect(200);
    });

    const created = {
      id,
      display_name: 'Fjord',
      external_id: 'crm-9',
      metadata: null,
      region_code: 'US',
      create_time: NOON,
      update_time: NOON,
      settings: {
        features: [
          { name: 'sso', enabled: false },
          { name: 'dir_sync', enabled: false },
        ],
      },
    };
    const updated = {
      ...created,
      display_name: 'Fjord AS',
      metadata: { tier: 'gold' },
      update_time: LATER,
    };
    const about = { spec_version: '1', environment_id: 'env_10000000000000001', object: 'Organization' };
    const evt = expect.stringMatching(/^evt_\d{17,}$/);
    expect(events).toEqual([
      {
        ...about,
        id: evt,
        type: 'organization.created',
        display_name: 'Organization Created',
        occurred_at: NOON,
        organization_id: id,
        data: created,
      },
      {
        ...about,
        id: evt,
        type: 'organization.updated',
        display_name: 'Organization Updated',
        occurred_at: LATER,
        organization_id: id,
        data: updated,
      },
      {
        ...about,
        id: evt,
        type: 'organization.deleted',
        display_name: 'Organization Deleted',
        occurred_at: LATER,
        organization_id: id,
        data: { ...updated, deleted_at: LATER },
      },
    ]);
  });

  it('include organization.updated with the feature settings', async () => {
    const { api } = await boot();

    const [event, ...more] = await toldBy(api, () =>
      api
        .patch(`${PATH}/${ACME}/settings`)
        .send({ features: [{ name: 'directory_sync', enabled: true }] })
        .expect(200),
    );

    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'organization.updated', organization_id: ACME });
    expect(event!.data['settings']).toEqual({
      features: [
        { name: 'sso', enabled: true },
        { name: 'dir_sync', enabled: true },
      ],
    });
  });

  it('include organization.updated when only update_time changes', async () => {
    const { api, control } = await boot({ now: NOON });
    const { body } = await api.get(`${PATH}/${ACME}`).expect(200);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const events = await toldBy(api, () =>
      api.patch(`${PATH}/${ACME}`).send({ display_name: body.organization.display_name }).expect(200),
    );

    expect(typesOf(events)).toEqual(['organization.updated']);
    expect(events[0]!.data).toMatchObject({ update_time: LATER });
  });

  it('leave out changes that the event data does not contain', async () => {
    const { api } = await boot();

    const events = await toldBy(api, () =>
      api
        .patch(`${PATH}/${ACME}/roles:set_defaults`)
        .send({ default_member_role: 'billing_viewer' })
        .expect(200),
    );

    expect(events).toEqual([]);
  });

  it('leave out failed calls', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.post(PATH).send({ display_name: 'Acme', external_id: 'crm-acme' }).expect(400);
      await api.patch(`${PATH}/org_10000000000000009`).send({ display_name: 'Nobody' }).expect(404);
      await api.delete(`${PATH}/org_10000000000000009`).expect(404);
    });

    expect(events).toEqual([]);
  });
});

it('include only organization.deleted when an organization with members, domains and connections is deleted', async () => {
  const { api, control } = await boot();
  const state = (await control.get('/state').expect(200)).body as Record<string, Record<string, unknown>[]>;
  const inIt = ['domains', 'directories', 'connections', 'roles', 'memberships'];
  for (const collection of inIt)
    expect(state[collection]!.some((row) => row['organization_id'] === ACME)).toBe(true);

  const events = await toldBy(api, () => api.delete(`${PATH}/${ACME}`).expect(200));

  expect(typesOf(events)).toEqual(['organization.deleted']);
  expect((await control.get('/state').expect(200)).body.directory_users).toEqual([]);
});
