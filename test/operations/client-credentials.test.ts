import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, tokenOf } from '../support/boot.ts';
import { ask, CLIENTS, withSecret } from '../support/clients.ts';
import { failure, invalid, notFound } from '../support/violations.ts';

const NOW = '2030-01-01T00:00:00.000Z';

describe('the secrets of an application', () => {
  it('are at most two active ones, and the last one cannot be deleted', async () => {
    const booted = await boot();
    const { path, secret, credentials } = await withSecret(booted);
    const { api } = booted;

    const second = await api.post(`${path}/secrets`).expect(201);
    const third = await api.post(`${path}/secrets`).expect(400);
    await api.delete(`${path}/secrets/${secret.id}`).expect(200);
    const last = await api.delete(`${path}/secrets/${second.body.secret.id}`).expect(400);

    expect(third.body).toEqual(invalid('only 2 secrets are allowed'));
    expect(last.body).toEqual(invalid('at least one secret is required'));
    const left = (await api.get(path).expect(200)).body.client.secrets;
    expect(left).toEqual([expect.objectContaining({ id: second.body.secret.id, status: 'ACTIVE' })]);
    await ask(booted, credentials).expect(401);
    await ask(booted, { ...credentials, client_secret: second.body.plain_secret }).expect(200);
  });

  it('do not count against the limit while they are inactive', async () => {
    const { api } = await boot();

    await api.post(`${CLIENTS}/skc_10000000000000002/secrets`).expect(201);
    await api.post(`${CLIENTS}/skc_10000000000000002/secrets`).expect(400);
  });

  it.each(['skc_10000000000000003', 'skc_10000000000000004'])('cannot be created for %s', async (id) => {
    const { api } = await boot();

    await api.post(`${CLIENTS}/${id}/secrets`).expect(400);
  });
});

describe('ClientService_UpdateClientSecret', () => {
  it.each(['put', 'patch'] as const)('deactivates and activates a secret with %s', async (verb) => {
    const booted = await boot();
    const { path, secret, credentials } = await withSecret(booted);
    const change = (query: string, body: object) =>
      booted.api[verb](`${path}/secrets/${secret.id}${query}`).send(body);

    const off = await change('', { status: 'INACTIVE' }).expect(200);
    await ask(booted, credentials).expect(401);
    const untouched = await change('', {}).expect(200);
    const on = await change('?mask=status', {}).expect(200);

    expect(off.body.secret).toMatchObject({ id: secret.id, status: 'INACTIVE' });
    expect(untouched.body.secret.status).toBe('INACTIVE');
    expect(on.body.secret).toMatchObject({ status: 'ACTIVE' });
    expect(on.body.secret).not.toHaveProperty('plain_secret');
    await ask(booted, credentials).expect(200);
  });

  it('refuses to activate a secret beyond the limit', async () => {
    const booted = await boot();
    const { path, secret } = await withSecret(booted);
    const change = (status: string) => booted.api.put(`${path}/secrets/${secret.id}`).send({ status });
    await change('INACTIVE').expect(200);
    for (let i = 0; i < 2; i++) await booted.api.post(`${path}/secrets`).expect(201);

    const response = await change('ACTIVE').expect(400);

    expect(response.body).toEqual(invalid('only 2 secrets are allowed'));
  });

  it('leaves an active secret unchanged when the limit is reached', async () => {
    const booted = await boot();
    const { path, secret } = await withSecret(booted);
    await booted.api.post(`${path}/secrets`).expect(201);

    await booted.api.put(`${path}/secrets/${secret.id}`).send({ status: 'ACTIVE' }).expect(200);
  });

  it('answers 404 for an unknown secret', async () => {
    const { api } = await boot();

    const path = `${CLIENTS}/skc_10000000000000002/secrets/sks_1`;
    const response = await api.put(path).send({ status: 'INACTIVE' }).expect(404);

    expect(response.body).toEqual(notFound('secret sks_1 not found'));
  });
});

describe('OAuth_Token for the client of an application', () => {
  it('issues tokens with the lifetime, scopes and claims of the client', async () => {
    const booted = await boot({ now: NOW });
    const custom_claims = [{ key: 'plan', value: 'trial' }];
    const wanted = { access_token_expiry: 60, scopes: ['a', 'b'], custom_claims };
    const { id, credentials } = await withSecret(booted, wanted);

    const { body } = await ask(booted, credentials).expect(200);
    const beyond = await ask(booted, { ...credentials, scope: 'c' }).expect(400);

    expect(body).toMatchObject({ expires_in: 59, scope: 'a b' });
    expect(decodeJwt(body.access_token)).toMatchObject({ aud: [id], custom_claims: { plan: 'trial' } });
    expect(beyond.body.error).toBe('invalid_scope');
  });

  it('refuses the grant when the grant types of the client do not include it', async () => {
    const booted = await boot();
    const { credentials } = await withSecret(booted, { grant_types: ['authorization_code'] });

    const { body } = await ask(booted, credentials).expect(400);

    expect(body).toEqual({
      error: 'unauthorized_client',
      error_description: 'client missing grant type client_credentials',
    });
  });

  it('issues tokens that the API refuses while disallow_scalekit_api_access is set', async () => {
    const booted = await boot();
    const { id, path, credentials } = await withSecret(booted, { disallow_scalekit_api_access: true });
    const authorization = `Bearer ${await tokenOf(booted.understudy.app, credentials)}`;
    const call = () => booted.anonymous.get(CLIENTS).set({ authorization });

    const response = await call().expect(401);

    expect(response.body).toEqual(
      failure(16, 'UNAUTHENTICATED', `client ${id} is unauthorized to call this API`),
    );
    await booted.api.patch(path).send({ disallow_scalekit_api_access: false }).expect(201);
    await call().expect(200);
  });

  it('finds the environment by the client id that contains its name', async () => {
    const booted = await boot();
    const { api, control, token } = await booted.environment('red');
    const { id, credentials } = await withSecret({ ...booted, api, control, token });

    await ask(booted, credentials).expect(200);

    expect(id).toMatch(/^webc_red_\d{17,}$/);
    await api.get(`${CLIENTS}/${id}`).expect(200);
  });
});
