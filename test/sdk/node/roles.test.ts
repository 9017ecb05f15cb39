import {
  ScalekitBadRequestException,
  ScalekitConflictException,
  ScalekitNotFoundException,
} from '@scalekit-sdk/node';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  CreateOrganizationRoleSchema,
  CreatePermissionSchema,
  CreateRoleSchema,
  UpdateRoleSchema,
} from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/roles/roles_pb.js';
import { expect, it } from 'vitest';
import { ACME, enter, expectThrottledOnce, NORDWIND } from './support.ts';

const env = await enter();
const { role: roles, permission: permissions } = env.connect();

const role = (init: MessageInitShape<typeof CreateRoleSchema>) => create(CreateRoleSchema, init);
const ownRole = (init: MessageInitShape<typeof CreateOrganizationRoleSchema>) =>
  create(CreateOrganizationRoleSchema, init);
const permission = (name: string, description: string) =>
  create(CreatePermissionSchema, { name, description });
const renamed = (displayName: string) => create(UpdateRoleSchema, { displayName });
const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name);

it('creates, reads, updates and deletes a role', async () => {
  const made = await roles.createRole(role({ name: 'editor', displayName: 'Editor', extends: 'member' }));
  expect(made.role).toMatchObject({ name: 'editor', extends: 'member' });
  await roles.updateRole('editor', renamed('Chief editor'));
  expect((await roles.getRole('editor')).role).toMatchObject({ displayName: 'Chief editor' });
  expect(namesOf((await roles.listRoles()).roles)).toEqual(
    expect.arrayContaining(['admin', 'member', 'editor']),
  );
  expect(namesOf((await roles.listDependentRoles('member')).roles)).toContain('editor');
  expect((await roles.getRoleUsersCount('editor')).count).toBe(0n);
  await roles.deleteRoleBase('editor');
  expect((await roles.getRole('editor')).role!.extends).toBeUndefined();
  await roles.deleteRole('editor');
  await expect(roles.getRole('editor')).rejects.toThrow(ScalekitNotFoundException);
});

it('creates, reads, updates and deletes a role of an organization', async () => {
  await roles.createOrganizationRole(
    NORDWIND,
    ownRole({ name: 'buyer', displayName: 'Buyer', extends: 'member' }),
  );
  await roles.updateOrganizationRole(NORDWIND, 'buyer', renamed('Head of buying'));
  expect((await roles.getOrganizationRole(NORDWIND, 'buyer')).role).toMatchObject({
    displayName: 'Head of buying',
    isOrgRole: true,
  });
  expect(namesOf((await roles.listOrganizationRoles(NORDWIND)).roles)).toContain('buyer');
  expect((await roles.getOrganizationRoleUsersCount(ACME, 'billing_viewer')).count).toBe(1n);
  await roles.deleteOrganizationRoleBase(NORDWIND, 'buyer');
  const { defaultMember } = await roles.updateDefaultOrganizationRoles(NORDWIND, 'buyer');
  expect(defaultMember).toMatchObject({ name: 'buyer' });
  await roles.updateDefaultOrganizationRoles(NORDWIND, 'member');
  await roles.deleteOrganizationRole(NORDWIND, 'buyer');
  await expect(roles.getOrganizationRole(NORDWIND, 'buyer')).rejects.toThrow(ScalekitNotFoundException);
});

it('sets the default roles', async () => {
  const answer = await roles.updateDefaultRoles({ defaultCreatorRole: 'admin', defaultMemberRole: 'member' });
  expect(answer).toMatchObject({ defaultCreator: { name: 'admin' }, defaultMember: { name: 'member' } });
});

it('creates, reads, updates and deletes a permission', async () => {
  const made = await permissions.createPermission(permission('reports:read', 'Read reports.'));
  expect(made.permission).toMatchObject({ name: 'reports:read' });
  await permissions.updatePermission('reports:read', permission('reports:read', 'Read all reports.'));
  expect((await permissions.getPermission('reports:read')).permission).toMatchObject({
    description: 'Read all reports.',
  });
  await permissions.deletePermission('reports:read');
  await expect(permissions.getPermission('reports:read')).rejects.toThrow(ScalekitNotFoundException);
});

it('adds permissions to a role, and removes them', async () => {
  await roles.createRole(role({ name: 'clerk', displayName: 'Clerk' }));
  await roles.createRole(role({ name: 'senior_clerk', displayName: 'Senior clerk', extends: 'clerk' }));
  const added = await permissions.addPermissionsToRole('clerk', ['invoices:read', 'invoices:write']);
  expect(added.permissions).toHaveLength(2);
  await permissions.removePermissionFromRole('clerk', 'invoices:write');
  expect(namesOf((await permissions.listRolePermissions('clerk')).permissions)).toEqual(['invoices:read']);
  const { permissions: effective } = await permissions.listEffectiveRolePermissions('senior_clerk');
  expect(namesOf(effective)).toEqual(['invoices:read']);
});

it('pages through permissions', async () => {
  const first = await permissions.listPermissions(undefined, 10);
  expect(first.permissions).toHaveLength(10);
  const second = await permissions.listPermissions(first.nextPageToken, 10);
  const names = namesOf([...first.permissions, ...second.permissions]);
  expect(new Set(names).size).toBe(first.totalSize);
});

it('throws for an unknown, an invalid and a duplicate role or permission', async () => {
  await expect(roles.getRole('nobody')).rejects.toThrow(ScalekitNotFoundException);
  await expect(roles.createRole(role({ name: 'no spaces', displayName: 'X' }))).rejects.toThrow(
    ScalekitBadRequestException,
  );
  const again = roles.createRole(role({ name: 'admin', displayName: 'Admin' }));
  await expect(again).rejects.toThrow(ScalekitConflictException);
  await expect(again).rejects.toThrow('duplicate key not allowed');
  await expect(permissions.getPermission('nothing')).rejects.toThrow(ScalekitNotFoundException);
  await expect(permissions.createPermission(permission('a.b', ''))).rejects.toThrow(
    ScalekitBadRequestException,
  );
  await expect(permissions.createPermission(permission('invoices:read', ''))).rejects.toThrow(
    'duplicate key not allowed',
  );
});

it('throws for an invalid permission name, and accepts an empty description', async () => {
  await expect(permissions.addPermissionsToRole('member', ['non.existent.permission'])).rejects.toThrow(
    ScalekitBadRequestException,
  );
  expect((await permissions.createPermission(permission('empty:text', ''))).permission).toMatchObject({
    description: '',
  });
});

it('throws once when a scenario throttles the call', async () => {
  await expectThrottledOnce(env, 'RolesService_ListRoles', () => roles.listRoles());
  await expectThrottledOnce(env, 'RolesService_ListPermissions', () => permissions.listPermissions());
});
