// Credentials of machines: API tokens, and clients of an organization.
import { ScalekitBadRequestException, ScalekitNotFoundException } from '@scalekit-sdk/node';
import { expect, it } from 'vitest';
import { ACME, ADA, enter, expectThrottledOnce, NORDWIND } from './support.ts';

const env = await enter();
const scalekit = env.connect();
const { token: tokens, m2m: clients } = scalekit;

it('creates, validates, updates and invalidates an API token', async () => {
  const { token, tokenId } = await tokens.createToken(ACME, {
    userId: ADA,
    description: 'nightly export',
    customClaims: { tier: 'gold' },
  });
  expect((await tokens.validateToken(token)).tokenInfo).toMatchObject({
    tokenId,
    organizationId: ACME,
    organizationExternalId: 'crm-acme',
    userId: ADA,
    customClaims: { tier: 'gold' },
  });
  const changed = await tokens.updateToken(token, { description: 'hourly export' });
  expect(changed.tokenInfo).toMatchObject({
    tokenId,
    description: 'hourly export',
    customClaims: { tier: 'gold' },
  });
  await tokens.invalidateToken(token);
  await expect(tokens.validateToken(token)).rejects.toThrow(/token/i);
});

it('pages through API tokens', async () => {
  for (const description of ['one', 'two', 'three']) await tokens.createToken(NORDWIND, { description });
  const first = await tokens.listTokens(NORDWIND, { pageSize: 2 });
  const second = await tokens.listTokens(NORDWIND, { pageSize: 2, pageToken: first.nextPageToken });
  expect(first.tokens).toHaveLength(2);
  const described = [...first.tokens, ...second.tokens].map(({ description }) => description);
  expect(described).toEqual(expect.arrayContaining(['one', 'two', 'three']));
});

it('creates, reads, updates and deletes an organization client', async () => {
  const made = await clients.createOrganizationClient(ACME, {
    name: 'Exporter',
    scopes: ['invoices:read'],
    audience: ['reports'],
    customClaims: { tier: 'gold' },
  });
  const { clientId } = made.client!;
  const issued = await scalekit.generateClientToken(clientId, made.plainSecret);
  expect(await scalekit.validateAccessToken(issued, { audience: ['reports'] })).toBe(true);

  expect((await clients.getOrganizationClient(ACME, clientId)).client).toMatchObject({
    name: 'Exporter',
    scopes: ['invoices:read'],
    customClaims: [{ key: 'tier', value: 'gold' }],
  });
  const changed = await clients.updateOrganizationClient(ACME, clientId, { description: 'at night' });
  expect(changed.client).toMatchObject({ name: 'Exporter', description: 'at night' });

  const added = await clients.addOrganizationClientSecret(ACME, clientId);
  await scalekit.generateClientToken(clientId, added.plainSecret);
  await clients.removeOrganizationClientSecret(ACME, clientId, added.secret!.id);
  await expect(scalekit.generateClientToken(clientId, added.plainSecret)).rejects.toThrow();

  await clients.deleteOrganizationClient(ACME, clientId);
  await expect(clients.getOrganizationClient(ACME, clientId)).rejects.toThrow(ScalekitNotFoundException);
});

it('pages through organization clients', async () => {
  for (const name of ['one', 'two', 'three']) await clients.createOrganizationClient(NORDWIND, { name });
  const first = await clients.listOrganizationClients(NORDWIND, { pageSize: 2 });
  const second = await clients.listOrganizationClients(NORDWIND, {
    pageSize: 2,
    pageToken: first.nextPageToken,
  });
  const names = [...first.clients, ...second.clients].map(({ name }) => name);
  expect(names.toSorted()).toEqual(['one', 'three', 'two']);
});

it('throws for unknown and invalid values', async () => {
  await expect(tokens.listTokens('org_404')).rejects.toThrow(ScalekitNotFoundException);
  await expect(tokens.listTokens(ACME, { pageSize: 31 })).rejects.toThrow(ScalekitBadRequestException);
  await expect(clients.getOrganizationClient(ACME, 'm2morg_404')).rejects.toThrow(ScalekitNotFoundException);
  await expect(clients.createOrganizationClient('nothing', { name: 'X' })).rejects.toThrow(
    ScalekitBadRequestException,
  );
});

it('throws once when a scenario throttles the call', async () => {
  await expectThrottledOnce(env, 'ApiTokenService_ListTokens', () => tokens.listTokens(ACME));
  await expectThrottledOnce(env, 'ClientService_ListOrganizationClients', () =>
    clients.listOrganizationClients(ACME),
  );
});
