import { ScalekitBadRequestException, ScalekitNotFoundException } from '@scalekit-sdk/node';
import { expect, it } from 'vitest';
import { ACME, EMPTY_DESK, enter, expectThrottledOnce, NORDWIND } from './support.ts';

const env = await enter();
const { organization: organizations } = env.connect();

it('creates, reads, updates and deletes an organization', async () => {
  const made = await organizations.createOrganization('Globex', { externalId: 'crm-globex', slug: 'globex' });
  const { id } = made.organization!;
  expect(id).toMatch(/^org_\d+$/);

  expect((await organizations.getOrganization(id)).organization).toMatchObject({
    displayName: 'Globex',
    externalId: 'crm-globex',
    slug: 'globex',
  });
  expect((await organizations.getOrganizationByExternalId('crm-globex')).organization).toMatchObject({ id });

  const renamed = await organizations.updateOrganization(id, {
    displayName: 'Globex AG',
    metadata: { tier: 'gold' },
  });
  expect(renamed.organization).toMatchObject({ displayName: 'Globex AG', metadata: { tier: 'gold' } });
  const again = await organizations.updateOrganizationByExternalId('crm-globex', {
    displayName: 'Globex SE',
  });
  expect(again.organization).toMatchObject({ id, displayName: 'Globex SE', metadata: { tier: 'gold' } });

  await organizations.deleteOrganization(id);
  await expect(organizations.getOrganization(id)).rejects.toThrow(ScalekitNotFoundException);
});

it('throws for an unknown, an invalid and a duplicate organization', async () => {
  const unknown = await organizations.getOrganization('org_404').catch((thrown) => thrown);
  expect(unknown).toBeInstanceOf(ScalekitNotFoundException);
  expect(unknown).toMatchObject({ httpStatus: 404, errorCode: 'RESOURCE_NOT_FOUND' });

  const invalid = await organizations.createOrganization('').catch((thrown) => thrown);
  expect(invalid).toBeInstanceOf(ScalekitBadRequestException);
  expect(invalid.unpackedDetails[0].validationErrorInfo.fieldViolations).toMatchObject([
    { field: 'organization.display_name' },
  ]);

  // The service responds with 400 to a duplicate external id, not with 409.
  await expect(organizations.createOrganization('Acme again', { externalId: 'crm-acme' })).rejects.toThrow(
    'duplicate external_id crm-acme',
  );
});

it('pages through lists and searches', async () => {
  const first = await organizations.listOrganization({ pageSize: 2 });
  expect(first).toMatchObject({ organizations: { length: 2 }, nextPageToken: expect.stringMatching(/./) });
  const second = await organizations.listOrganization({ pageSize: 2, pageToken: first.nextPageToken });
  const ids = [...first.organizations, ...second.organizations].map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  const rest = await organizations.listOrganization({ pageSize: 30, pageToken: second.nextPageToken });
  expect(ids.length + rest.organizations.length).toBe(first.totalSize);
  expect(rest.nextPageToken).toBe('');

  await organizations.createOrganization('Nordlicht');
  const found = await organizations.searchOrganization('nord', 1);
  expect(found).toMatchObject({ organizations: { length: 1 }, totalSize: 2 });
  const next = await organizations.searchOrganization('nord', 1, found.nextPageToken);
  expect(next.organizations[0]!.id).not.toBe(found.organizations[0]!.id);
});

it('updates the settings of an organization', async () => {
  const features = [{ name: 'dir_sync', enabled: true }];
  const { organization } = await organizations.updateOrganizationSettings(ACME, { features });
  expect(organization!.settings!.features).toContainEqual(expect.objectContaining(features[0]));

  expect(await organizations.upsertUserManagementSettings(NORDWIND, { maxAllowedUsers: 40 })).toMatchObject({
    maxAllowedUsers: 40,
  });
  const { settings } = await organizations.getOrganizationUserManagementSetting(NORDWIND);
  expect(settings).toMatchObject({ maxAllowedUsers: 40 });

  const policy = {
    policySource: 'CUSTOM',
    absoluteSessionTimeout: 2,
    absoluteSessionTimeoutUnit: 'HOURS',
  } as const;
  const changed = await organizations.updateOrganizationSessionPolicy(ACME, policy);
  expect(await organizations.getOrganizationSessionPolicy(ACME)).toEqual(changed);
  expect(changed).toMatchObject({ absoluteSessionTimeout: 120 });

  const link = await organizations.generatePortalLink(ACME);
  expect(link.location).toMatch(/^http/);
});

it('returns unset, zero and empty values unchanged', async () => {
  const { organization } = await organizations.createOrganization('Plain');
  expect(organization!.externalId).toBeUndefined();
  expect(organization!.metadata).toEqual({});
  expect(await organizations.searchOrganization('nobody-has-this-name')).toMatchObject({
    organizations: [],
    totalSize: 0,
    nextPageToken: '',
  });
  const { settings } = await organizations.getOrganizationUserManagementSetting(organization!.id);
  expect(settings).toBeDefined();
  expect(await organizations.upsertUserManagementSettings(NORDWIND, { maxAllowedUsers: 0 })).toMatchObject({
    maxAllowedUsers: 0,
  });
  await organizations.updateOrganization(ACME, { displayName: 'Acme AG' });
  expect((await organizations.getOrganization(ACME)).organization).toMatchObject({
    externalId: 'crm-acme',
    slug: 'acme',
    metadata: { plan: 'enterprise' },
  });
});

it('sets a session policy in any unit, and removes it', async () => {
  const custom = await organizations.updateOrganizationSessionPolicy(EMPTY_DESK, {
    policySource: 'CUSTOM',
    absoluteSessionTimeout: 3,
    absoluteSessionTimeoutUnit: 'DAYS',
    idleSessionTimeoutEnabled: true,
    idleSessionTimeout: 60,
    idleSessionTimeoutUnit: 'MINUTES',
  });
  expect(custom).toMatchObject({ absoluteSessionTimeout: 4320, idleSessionTimeout: 60 });
  await organizations.updateOrganizationSessionPolicy(EMPTY_DESK, { policySource: 'APPLICATION' });
  const policy = await organizations.getOrganizationSessionPolicy(EMPTY_DESK);
  expect(policy).toMatchObject({ policySource: 1 });
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'OrganizationService_GetOrganization', () => organizations.getOrganization(ACME)));
