import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { addDomain, create, createReady, FIXED, pathOf, update } from '../support/connections.ts';
import { failure, noPrefix, notFound, refusal } from '../support/violations.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

const OIDC = { provider: 'OKTA', type: 'OIDC' };

describe.each(['', NORDWIND])('a connection of organization %j', (organization) => {
  it('is enabled and disabled, and a repeated call answers an error_message', async () => {
    const { api, control } = await boot(FIXED);
    const wanted = { provider: 'IDP_SIMULATOR', type: 'OIDC' };
    const connection = await create(api, wanted, organization);
    const path = pathOf(connection);
    await control.post('/clock/advance').send({ by: '5m' }).expect(200);

    const on = await api.patch(`${path}:enable`).expect(200);
    const shown = await api.get(path).expect(200);
    const still = await api.patch(`${path}:enable`).expect(200);
    const off = await api.patch(`${path}:disable`).expect(200);
    const never = await api.patch(`${path}:disable`).expect(200);

    expect(on.body).toEqual({ enabled: true });
    expect(shown.body.connection).toMatchObject({ enabled: true, update_time: '2030-01-01T00:05:00.000Z' });
    expect(still.body).toEqual({ enabled: true, error_message: 'connection is already enabled' });
    expect(off.body).toEqual({ enabled: false });
    expect(never.body).toEqual({ enabled: false, error_message: 'connection is already disabled' });
    expect((await api.get(path)).body.connection.enabled).toBe(false);
  });

  it('cannot be enabled before it is COMPLETED', async () => {
    const { api } = await boot();
    const connection = await create(api, OIDC, organization);

    const early = await api.patch(`${pathOf(connection)}:enable`).expect(400);

    const message = `connection ${connection.id} is DRAFT, not COMPLETED: issuer, client_id, client_secret missing`;
    expect(early.body).toEqual(failure(9, 'FAILED_PRECONDITION', message));
    expect((await api.get(pathOf(connection))).body.connection.enabled).toBe(false);
  });

  it('is deleted together with its accounts', async () => {
    const { api } = await boot();
    const { key_id, ...connection } = await create(api, { provider: 'CUSTOM', type: 'BEARER' }, organization);
    const account = { connector: key_id, identifier: 'ada', connected_account: {} };
    await api.post('/api/v1/connected_accounts').send(account).expect(201);

    const deleted = await api.delete(pathOf(connection)).expect(200);

    expect(deleted.body).toEqual({});
    const missing = await api.get(pathOf(connection)).expect(404);
    expect(missing.body).toEqual(notFound(`connection ${connection.id} not found`));
    const accounts = await api.get('/api/v1/connected_accounts?identifier=ada').expect(200);
    expect(accounts.body.total_size).toBe(0);
    await create(api, { provider: 'CUSTOM', type: 'BEARER', key_id }, organization);
  });

  it("is not found with the id of another owner's connection", async () => {
    const { api } = await boot();
    const foreignId = 'conn_10000000000000251';
    const path = pathOf({ id: foreignId, ...(organization && { organization_id: organization }) });

    const answers = [
      await api.get(path),
      await api.delete(path),
      await api.patch(`${path}:enable`),
      await api.patch(`${path}:disable`),
    ];

    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({ status: 404, body: notFound(`connection ${foreignId} not found`) });
    }
  });
});

describe('a connection', () => {
  it('is deleted with its organization', async () => {
    const { api } = await boot();
    const connection = await create(api, OIDC, NORDWIND);

    await api.delete(`/api/v1/organizations/${NORDWIND}`).expect(200);

    const missing = await api.get(pathOf(connection)).expect(404);
    expect(missing.body).toEqual(notFound(`organization ${NORDWIND} not found`));
  });

  it('cannot be enabled after a scenario set it back to DRAFT', async () => {
    const { api, control } = await boot();
    const connection = await createReady(api);
    await control
      .patch(`/state/connections/${connection.id}`)
      .send({ status: 'DRAFT', enabled: false })
      .expect(200);

    const early = await api.patch(`${pathOf(connection)}:enable`).expect(400);

    expect(early.body.message).toBe(`connection ${connection.id} is DRAFT, not COMPLETED`);
  });
});

describe('ConnectionService_AssignDomainsToConnection', () => {
  const assign = (connection: { id: string; organization_id?: string }) => `${pathOf(connection)}/domains`;

  it('replaces the assigned domains and ignores duplicates', async () => {
    const { api, control } = await boot();
    const connection = await create(api, OIDC, NORDWIND);
    const one = await addDomain(control, 'dom_91', 'nordwind.example');
    const two = await addDomain(control, 'dom_92', 'nordwind.test');

    const both = await api
      .put(assign(connection))
      .send({ domain_ids: [two.id, one.id, two.id] })
      .expect(200);
    const second = await api
      .put(assign(connection))
      .send({ domain_ids: [two.id] })
      .expect(200);
    const none = await api.put(assign(connection)).send({}).expect(200);

    expect(both.body.connection.domains).toEqual([two, one]);
    expect(second.body.connection).toMatchObject({ id: connection.id, domains: [two] });
    expect(none.body.connection.domains).toEqual([]);
    expect((await api.get(pathOf(connection))).body.connection.domains).toEqual([]);
  });

  it('falls back to the verified domains of the organization while none were assigned', async () => {
    const { api, control } = await boot();
    const connection = await create(api, OIDC, NORDWIND);
    await addDomain(control, 'dom_91', 'nordwind.example');
    await addDomain(control, 'dom_92', 'guests.example', { domain_type: 'ALLOWED_EMAIL_DOMAIN' });
    await addDomain(control, 'dom_93', 'pending.example', { verification_status: 'PENDING' });
    await addDomain(control, 'dom_94', 'auto.example', { verification_status: 'AUTO_VERIFIED' });

    const { body } = await api.get(pathOf(connection)).expect(200);

    const ids = body.connection.domains.map(({ id }: { id: string }) => id);
    expect(ids.slice(-2)).toEqual(['dom_91', 'dom_94']);
  });

  it('drops a deleted domain', async () => {
    const { api, control } = await boot();
    const connection = await create(api, OIDC, NORDWIND);
    await addDomain(control, 'dom_91', 'nordwind.example');
    await addDomain(control, 'dom_92', 'nordwind.test');
    await api
      .put(assign(connection))
      .send({ domain_ids: ['dom_91', 'dom_92'] })
      .expect(200);

    await control.delete('/state/domains/dom_91').expect(204);

    const { body } = await api.get(pathOf(connection)).expect(200);
    expect(body.connection.domains).toMatchObject([{ id: 'dom_92' }]);
  });

  it('answers 404 for unknown domains and domains of another organization', async () => {
    const { api, control } = await boot();
    const connection = await create(api, OIDC, NORDWIND);
    await addDomain(control, 'dom_91', 'acme.test', { organization_id: 'org_10000000000000001' });

    for (const id of ['dom_91', 'dom_99']) {
      const refused = await api
        .put(assign(connection))
        .send({ domain_ids: [id] })
        .expect(404);
      expect(refused.body).toEqual(notFound(`domain ${id} not found`));
    }
    const wrong = await api.put('/api/v1/organizations/o/connections/c/domains').send({}).expect(400);
    expect(wrong.body).toEqual(
      refusal(noPrefix('org_')('organization_id'), noPrefix('conn_')('connection_id')),
    );
  });

  it('refuses more than 50 domains', async () => {
    const { api } = await boot();
    const connection = await create(api, OIDC, NORDWIND);

    const many = await api
      .put(assign(connection))
      .send({ domain_ids: Array.from({ length: 51 }, (_, i) => `dom_${i}`) })
      .expect(400);

    expect(many.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'domain_ids', constraint: 'repeated.max_items' },
    ]);
  });

  it('keeps the assigned domains when the connection is updated', async () => {
    const { api, control } = await boot();
    const connection = await create(api, OIDC, NORDWIND);
    await addDomain(control, 'dom_91', 'nordwind.example');
    await api.put(assign(connection)).send({ domain_ids: [] }).expect(200);

    const updated = await update(api, connection, { ui_button_title: 'Okta' });

    expect(updated.domains).toEqual([]);
  });
});
