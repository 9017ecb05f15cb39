import { create } from '@bufbuild/protobuf';
import { ScalekitBadRequestException, ScalekitNotFoundException } from '@scalekit-sdk/node';
import {
  CreateDirectorySchema,
  DirectoryProvider,
  DirectoryType,
} from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/directories/directories_pb.js';
import { expect, it } from 'vitest';
import { ACME, EMPTY_DESK, enter, expectThrottledOnce } from './support.ts';
import { OKTA_DIRECTORY } from '../../support/fixture-ids.ts';

const env = await enter();
const { directory: directories } = env.connect();

const scim = create(CreateDirectorySchema, {
  directoryType: DirectoryType.SCIM,
  directoryProvider: DirectoryProvider.ONELOGIN,
});

it('creates, reads, disables, enables and deletes a directory', async () => {
  await expect(directories.getPrimaryDirectoryByOrganizationId(EMPTY_DESK)).rejects.toBe(
    'directory does not exist for organization',
  );
  const { directory } = await directories.createDirectory(EMPTY_DESK, scim);
  const { id } = directory!;
  expect((await directories.getDirectory(EMPTY_DESK, id)).directory).toMatchObject({
    directoryType: DirectoryType.SCIM,
    directoryProvider: DirectoryProvider.ONELOGIN,
    enabled: true,
  });
  expect(await directories.getPrimaryDirectoryByOrganizationId(EMPTY_DESK)).toMatchObject({ id });
  await expect(directories.deleteDirectory(EMPTY_DESK, id)).rejects.toThrow(ScalekitBadRequestException);
  expect(await directories.disableDirectory(EMPTY_DESK, id)).toMatchObject({ enabled: false });
  expect(await directories.enableDirectory(EMPTY_DESK, id)).toMatchObject({ enabled: true });
  await directories.disableDirectory(EMPTY_DESK, id);
  await directories.deleteDirectory(EMPTY_DESK, id);
  expect((await directories.listDirectories(EMPTY_DESK)).directories).toEqual([]);
});

it('pages through users and groups', async () => {
  const first = await directories.listDirectoryUsers(ACME, OKTA_DIRECTORY, {
    pageSize: 2,
    includeDetail: true,
  });
  expect(first).toMatchObject({ users: [{ userDetail: {} }, {}], totalSize: 3 });
  const second = await directories.listDirectoryUsers(ACME, OKTA_DIRECTORY, {
    pageSize: 2,
    pageToken: first.nextPageToken,
  });
  const emails = [...first.users, ...second.users].map(({ email }) => email);
  expect(emails.toSorted()).toEqual(['ada@acme.example', 'ravi@acme.example', 'tom@acme.example']);

  const group = await directories.listDirectoryGroups(ACME, OKTA_DIRECTORY, { pageSize: 1 });
  const next = await directories.listDirectoryGroups(ACME, OKTA_DIRECTORY, {
    pageSize: 1,
    pageToken: group.nextPageToken,
  });
  expect([...group.groups, ...next.groups].map(({ displayName }) => displayName).toSorted()).toEqual([
    'Engineering',
    'Finance',
  ]);
  const since = { updatedAfter: '2026-01-20T00:00:00Z' };
  expect((await directories.listDirectoryGroups(ACME, OKTA_DIRECTORY, since)).groups).toMatchObject([
    { displayName: 'Finance' },
  ]);
  const ofFinance = { directoryGroupId: 'dirgroup_10000000000000612' };
  expect((await directories.listDirectoryUsers(ACME, OKTA_DIRECTORY, ofFinance)).users).toMatchObject([
    { givenName: 'Ravi' },
  ]);
});

it('throws for an unknown and an invalid directory', async () => {
  await expect(directories.getDirectory(ACME, 'dir_404')).rejects.toThrow(ScalekitNotFoundException);
  await expect(directories.getDirectory(ACME, 'x'.repeat(33))).rejects.toThrow(ScalekitBadRequestException);
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'DirectoryService_GetDirectory', () =>
    directories.getDirectory(ACME, OKTA_DIRECTORY),
  ));
