import {
  ScalekitBadRequestException,
  ScalekitConflictException,
  ScalekitNotFoundException,
} from '@scalekit-sdk/node';
import { expect, it } from 'vitest';
import { ACME, ADA, EMPTY_DESK, enter, expectThrottledOnce, LENA, NINA, NORDWIND } from './support.ts';

const env = await enter();
const { user: users } = env.connect();

const grace = { email: 'grace@acme.example', externalId: 'crm-grace' };

it('creates, reads, updates and deletes a user', async () => {
  const { user } = await users.createUserAndMembership(ACME, {
    ...grace,
    userProfile: { firstName: 'Grace', lastName: 'Hopper' },
    metadata: { team: 'compilers' },
    sendInvitationEmail: false,
  });
  const { id } = user!;
  expect((await users.getUser(id)).user).toMatchObject({
    email: grace.email,
    environmentId: expect.stringMatching(/^env_/),
    metadata: { team: 'compilers' },
    userProfile: { givenName: 'Grace', firstName: 'Grace', familyName: 'Hopper', lastName: 'Hopper' },
    memberships: [{ organizationId: ACME }],
  });
  expect((await users.getUserByExternalId(grace.externalId)).user).toMatchObject({ id });

  const changed = await users.updateUser(id, { userProfile: { firstName: 'Rear Admiral' } });
  expect(changed.user!.userProfile).toMatchObject({ givenName: 'Rear Admiral', familyName: 'Hopper' });
  const again = await users.updateUserByExternalId(grace.externalId, { metadata: { team: 'navy' } });
  expect(again.user).toMatchObject({ id, metadata: { team: 'navy' } });

  await users.deleteUserByExternalId(grace.externalId);
  await expect(users.getUserByExternalId(grace.externalId)).rejects.toThrow(ScalekitNotFoundException);
});

it('throws for an unknown, an invalid and a duplicate user', async () => {
  await expect(users.getUser('usr_404')).rejects.toThrow(ScalekitNotFoundException);
  await expect(users.createUserAndMembership(ACME, { email: 'nobody' })).rejects.toThrow(
    ScalekitBadRequestException,
  );
  await expect(users.createUserAndMembership(ACME, { email: 'ada@acme.example' })).rejects.toThrow(
    ScalekitConflictException,
  );
});

it('creates, updates and deletes a membership', async () => {
  await users.createMembership(NORDWIND, ADA, {
    roles: ['member'],
    metadata: { desk: '4' },
    sendInvitationEmail: false,
  });
  await expect(users.createMembership(NORDWIND, ADA)).rejects.toThrow(ScalekitConflictException);
  const changed = await users.updateMembership(NORDWIND, ADA, { metadata: { desk: '5' } });
  expect(changed.user!.memberships).toContainEqual(
    expect.objectContaining({ organizationId: NORDWIND, metadata: { desk: '5' } }),
  );
  await users.deleteMembership(NORDWIND, ADA);
  await expect(users.updateMembership(NORDWIND, ADA, { metadata: {} })).rejects.toThrow(
    ScalekitNotFoundException,
  );

  await users.createMembershipByExternalId(EMPTY_DESK, 'crm-acme-ada', { sendInvitationEmail: false });
  const renewed = await users.updateMembershipByExternalId(EMPTY_DESK, 'crm-acme-ada', { roles: ['admin'] });
  expect(renewed.user!.memberships).toContainEqual(
    expect.objectContaining({
      organizationId: EMPTY_DESK,
      roles: [expect.objectContaining({ name: 'admin' })],
    }),
  );
  await users.deleteMembershipByExternalId(EMPTY_DESK, 'crm-acme-ada');
  expect((await users.listOrganizationUsers(EMPTY_DESK)).users).toEqual([]);
});

it('resends an invitation', async () => {
  const { invite } = await users.resendInvite(NORDWIND, LENA);
  expect(invite).toMatchObject({ userId: LENA, organizationId: NORDWIND });
  expect(invite!.expiresAt!.seconds).toBeGreaterThan(invite!.createdAt!.seconds);
  await expect(users.resendInvite(ACME, ADA)).rejects.toThrow(ScalekitBadRequestException);
});

it('pages through lists and searches', async () => {
  const first = await users.listUsers({ pageSize: 3 });
  const second = await users.listUsers({ pageSize: 3, pageToken: first.nextPageToken });
  const ids = [...first.users, ...second.users].map(({ id }) => id);
  expect(new Set(ids).size).toBe(6);

  const members = await users.listOrganizationUsers(ACME, { pageSize: 2 });
  const others = await users.listOrganizationUsers(ACME, { pageSize: 2, pageToken: members.nextPageToken });
  expect(members.users.concat(others.users).map(({ id }) => id)).toHaveLength(4);

  const found = await users.searchUsers('acme.example', 1);
  expect(found.users).toHaveLength(1);
  const next = await users.searchUsers('acme.example', 1, found.nextPageToken);
  expect(next.users[0]!.id).not.toBe(found.users[0]!.id);
  const nordwind = await users.searchOrganizationUsers(NORDWIND, 'nina', 5);
  expect(nordwind.users.map(({ email }) => email)).toEqual(['nina@nordwind.example']);
});

it('assigns roles, which bring permissions', async () => {
  const { roles } = await users.assignUserRoles(ACME, ADA, ['billing_viewer']);
  expect(roles.map(({ name }) => name).toSorted()).toEqual(['admin', 'billing_viewer']);
  const held = await users.listUserRoles(ACME, ADA);
  expect(held.roles.map(({ name }) => name).toSorted()).toEqual(['admin', 'billing_viewer', 'member']);
  const { permissions } = await users.listUserPermissions(ACME, ADA);
  expect(permissions.map(({ name }) => name)).toContain('invoices:read');
  await users.removeUserRole(ACME, ADA, 'billing_viewer');
  expect((await users.listUserRoles(ACME, ADA)).roles.map(({ name }) => name)).toEqual(['admin']);
});

it('deletes a user by id', async () => {
  await users.deleteUser(LENA);
  await expect(users.getUser(LENA)).rejects.toThrow(ScalekitNotFoundException);
});

it('removes the last role of a member', async () => {
  await users.removeUserRole(ACME, NINA, 'member');
  expect((await users.listUserRoles(ACME, NINA)).roles).toEqual([]);
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'UserService_GetUser', () => users.getUser(ADA)));
