import { create as message } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS, openFor } from '../../server/grpc/support.ts';
import { boot, type Agent } from '../../support/boot.ts';
import { invalid, noPrefix, notFound, refusal, required } from '../../support/violations.ts';

const PATH = '/api/v1/organizations';
const ACME = `${PATH}/org_10000000000000001`;

async function create(api: Agent, wanted: object = { display_name: 'Acme' }): Promise<{ id: string }> {
  const { body } = await api.post(PATH).send(wanted).expect(201);
  return body.organization;
}

describe('OrganizationService_UpdateOrganizationSettings', () => {
  it('changes only the named features, and lists sso and dir_sync first', async () => {
    const { api } = await boot();
    const { id } = await create(api);
    const set = (...features: object[]) => api.patch(`${PATH}/${id}/settings`).send({ features }).expect(200);

    await set({ name: 'session_policy', enabled: true }, { name: 'dir_sync', enabled: true });
    const updated = await set({ name: 'sso', enabled: true }, { name: 'dir_sync', enabled: false });

    expect(updated.body.organization.settings).toEqual({
      features: [
        { name: 'sso', enabled: true },
        { name: 'dir_sync', enabled: false },
        { name: 'session_policy', enabled: true },
      ],
    });
    const read = await api.get(`${PATH}/${id}`).expect(200);
    expect(read.body).toEqual(updated.body);
  });

  it('treats the names dir_sync, directory_sync and scim as one feature', async () => {
    const { api } = await boot();
    const set = (name: string, enabled: boolean) =>
      api
        .patch(`${ACME}/settings`)
        .send({ features: [{ name, enabled }] })
        .expect(200);

    const long = await set('directory_sync', true);
    const short = await set('dir_sync', false);
    const guide = await set('scim', true);

    const sso = { name: 'sso', enabled: true };
    expect(long.body.organization.settings.features).toEqual([
      sso,
      { name: 'directory_sync', enabled: true },
    ]);
    expect(short.body.organization.settings.features).toEqual([sso, { name: 'dir_sync', enabled: false }]);
    expect(guide.body.organization.settings.features).toEqual([sso, { name: 'scim', enabled: true }]);
  });

  it('accepts an empty list and changes nothing', async () => {
    const { api } = await boot();

    const updated = await api.patch(`${ACME}/settings`).send({ features: [] }).expect(200);

    expect(updated.body.organization.settings.features).toHaveLength(2);
  });

  it('refuses an unknown feature and changes nothing', async () => {
    const { api } = await boot();
    const { id } = await create(api);
    const features = [
      { name: 'sso', enabled: true },
      { name: 'dirsync', enabled: true },
    ];

    const refused = await api.patch(`${PATH}/${id}/settings`).send({ features }).expect(400);

    const known = 'sso, dir_sync, directory_sync, scim, domain_verification, session_policy';
    expect(refused.body).toEqual(invalid(`feature dirsync is not supported; known: ${known}`));
    const read = await api.get(`${PATH}/${id}`).expect(200);
    expect(read.body.organization).not.toHaveProperty('settings');
  });

  it('requires the name of each feature and an organization id with its prefix', async () => {
    const { api } = await boot();

    const refused = await api
      .patch(`${PATH}/acme/settings`)
      .send({ features: [{ enabled: true }] })
      .expect(400);

    expect(refused.body).toEqual(refusal(noPrefix('org_')('id'), required('settings.features[0].name')));
  });

  it('requires the enabled value of each feature', async () => {
    const { api } = await boot();

    const refused = await api
      .patch(`${ACME}/settings`)
      .send({ features: [{ name: 'sso' }] })
      .expect(400);

    expect(refused.body).toEqual(refusal(required('settings.features[0].enabled')));
  });

  it('switches a feature off over gRPC, where false is not sent', async () => {
    const booted = await boot();
    const method = METHODS.get('OrganizationService_UpdateOrganizationSettings')!;
    const fields = { id: 'org_10000000000000001', settings: { features: [{ name: 'sso', enabled: false }] } };
    const authorization = `Bearer ${booted.token}`;

    const transport = grpcTo(await openFor(booted.understudy));
    const answer = await callRpc(transport, method, message(method.input, fields as never), {
      authorization,
    });

    expect(answer).not.toBeInstanceOf(ConnectError);
    const { body } = await booted.api.get(ACME).expect(200);
    expect(body.organization.settings.features).toContainEqual({ name: 'sso', enabled: false });
  });

  it('requires a body', async () => {
    const { api } = await boot();

    const refused = await api.patch(`${ACME}/settings`).expect(400);

    expect(refused.body).toEqual(refusal(required('settings')));
  });

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot();

    const refused = await api.patch(`${PATH}/org_9/settings`).send({ features: [] }).expect(404);

    expect(refused.body).toEqual(notFound('organization org_9 not found'));
  });
});
