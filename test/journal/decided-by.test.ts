import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { bootOnce, type Booted } from '../support/boot.ts';
import { callRpc, grpcTo, METHODS, openFor } from '../server/grpc/support.ts';
import { ACME } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();

/** The guesses that decided the latest call. */
async function deciding({ control }: Booted): Promise<string[] | undefined> {
  const { requests } = (await control.get('/requests?limit=1').expect(200)).body;
  return requests[0].decided_by;
}

describe('the journal', () => {
  it('names the guess that refused a call', async () => {
    const booted = await fresh();

    await booted.api.delete('/api/v1/roles/admin').expect(400);

    expect(await deciding(booted)).toEqual(['roles/delete-default-role']);
  });

  it('names it over gRPC too', async () => {
    const booted = await fresh();
    const method = METHODS.get('RolesService_DeleteRole')!;
    const transport = grpcTo(await openFor(booted.understudy));
    const headers = { authorization: `Bearer ${booted.token}`, 'understudy-environment': booted.own.name };

    await callRpc(transport, method, create(method.input, { roleName: 'admin' } as never), headers);

    expect(await deciding(booted)).toEqual(['roles/delete-default-role']);
  });

  it('names each guess that decided what a call did, once', async () => {
    const booted = await fresh();
    const resource = { name: 'Files', resource_type: 'MCP_SERVER', scopes: ['files:read', 'files:write'] };

    await booted.api.post('/api/v1/resources').send(resource).expect(201);

    expect(await deciding(booted)).toEqual([
      'resources/new-scope-names',
      'resources/resource-without-address',
    ]);
  });

  it('names a guess beside an error whose writes stand', async () => {
    const booted = await fresh();
    const { body } = await booted.api
      .post('/api/v1/passwordless/email/send')
      .send({ email: 'mia@acme.example', magiclink_auth_uri: 'https://app.example/link' })
      .expect(200);
    const wrong = { auth_request_id: body.auth_request_id, code: '000000' };
    for (let attempt = 1; attempt < 5; attempt += 1)
      await booted.api.post('/api/v1/passwordless/email/verify').send(wrong).expect(400);
    const before = await deciding(booted);

    await booted.api.post('/api/v1/passwordless/email/verify').send(wrong).expect(400);

    expect([before, await deciding(booted)]).toEqual([undefined, ['passwordless/wrong-codes']]);
  });

  it('names none for what a source states', async () => {
    const booted = await fresh();

    await booted.api.get(`/api/v1/organizations/${ACME}`).expect(200);
    const found = await deciding(booted);
    await booted.api.get('/api/v1/roles/none').expect(404);

    expect([found, await deciding(booted)]).toEqual([undefined, undefined]);
  });
});
