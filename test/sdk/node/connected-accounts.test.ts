import { create } from '@bufbuild/protobuf';
import {
  ScalekitBadRequestException,
  ScalekitConflictException,
  ScalekitNotFoundException,
} from '@scalekit-sdk/node';
import {
  ConnectorStatus,
  CreateConnectedAccountSchema,
  OauthTokenSchema,
  UpdateConnectedAccountSchema,
} from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/connected_accounts/connected_accounts_pb.js';
import { expect, it } from 'vitest';
import { ACME, enter, expectThrottledOnce } from './support.ts';

const env = await enter();
const { connectedAccounts: accounts } = env.connect();

const oauth = (accessToken: string) => ({
  details: {
    case: 'oauthToken' as const,
    value: create(OauthTokenSchema, { accessToken, refreshToken: 'rt-1', scopes: ['repo'] }),
  },
});
const account = (accessToken: string) =>
  create(CreateConnectedAccountSchema, {
    authorizationDetails: oauth(accessToken),
    apiConfig: { retries: 3 },
  });
const lea = { connector: 'github', identifier: 'lea@acme.example' };

it('creates, reads, updates and deletes a connected account', async () => {
  const made = await accounts.createConnectedAccount({
    ...lea,
    organizationId: ACME,
    connectedAccount: account('gho_1'),
  });
  const connectedAccountId = made.connectedAccount!.id;
  expect((await accounts.getConnectedAccountByIdentifier(lea)).connectedAccount).toMatchObject({
    id: connectedAccountId,
    status: ConnectorStatus.ACTIVE,
    apiConfig: { retries: 3 },
    authorizationDetails: {
      details: { case: 'oauthToken', value: { accessToken: 'gho_1', scopes: ['repo'] } },
    },
  });

  await accounts.updateConnectedAccount({
    connectedAccountId,
    connectedAccount: create(UpdateConnectedAccountSchema, { authorizationDetails: oauth('gho_2') }),
  });
  const changed = await accounts.getConnectedAccountByIdentifier({ connectedAccountId });
  expect(changed.connectedAccount!.authorizationDetails!.details.value).toMatchObject({
    accessToken: 'gho_2',
  });

  await accounts.deleteConnectedAccount({ connectedAccountId });
  await expect(accounts.getConnectedAccountByIdentifier(lea)).rejects.toThrow(ScalekitNotFoundException);
});

it('gets an existing account, or creates it', async () => {
  const max = { connector: 'linear', identifier: 'max' };
  const made = await accounts.getOrCreateConnectedAccount(max);
  const { id } = made.connectedAccount!;
  expect(await accounts.getOrCreateConnectedAccount(max)).toMatchObject({ connectedAccount: { id } });
  const changed = await accounts.upsertConnectedAccount({ ...max, authorizationDetails: oauth('lin_1') });
  expect(changed.connectedAccount).toMatchObject({ id, status: ConnectorStatus.ACTIVE });
});

it('creates a magic link and verifies the user of an account', async () => {
  const link = await accounts.getMagicLinkForConnectedAccount({
    connector: 'notion',
    identifier: 'ada@acme.example',
    state: 'setup',
    userVerifyUrl: 'https://app.example.com/verify',
  });
  expect(link.link).toMatch(/\/magicLink\//);
  expect(link.expiry!.seconds).toBeGreaterThan(0n);

  const waiting = { authRequestId: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: 'ada@acme.example' };
  expect(await accounts.verifyConnectedAccountUser(waiting)).toMatchObject({
    postUserVerifyRedirectUrl: expect.stringMatching(/\/connect\/success$/),
  });
  await expect(accounts.verifyConnectedAccountUser(waiting)).rejects.toThrow(
    /auth request not found or no longer valid/,
  );
});

it('pages through lists and filters them', async () => {
  const first = await accounts.listConnectedAccounts({ pageSize: 6 });
  const second = await accounts.listConnectedAccounts({ pageSize: 30, pageToken: first.nextPageToken });
  const ids = [...first.connectedAccounts, ...second.connectedAccounts].map(({ id }) => id);
  expect(first.connectedAccounts).toHaveLength(6);
  expect(new Set(ids).size).toBe(first.totalSize);
  expect((await accounts.listConnectedAccounts({ connector: 'notion' })).connectedAccounts).toHaveLength(1);
  expect((await accounts.listConnectedAccounts({ provider: 'google' })).totalSize).toBeTypeOf('number');
  const ofSlack = await accounts.listConnectedAccounts({ connectionNames: ['slack'], organizationId: ACME });
  expect(ofSlack.connectedAccounts).toMatchObject([
    { connector: 'slack', identifier: 'nina@nordwind.example' },
  ]);
});

it('throws for an unknown, an invalid and a duplicate account', async () => {
  const unknown = accounts.getConnectedAccountByIdentifier({ connector: 'nothing', identifier: 'lea' });
  await expect(unknown).rejects.toThrow('connection not found for key: nothing');
  await expect(unknown).rejects.toThrow(ScalekitNotFoundException);
  await expect(accounts.listConnectedAccounts({ pageSize: 100 })).rejects.toThrow(
    ScalekitBadRequestException,
  );
  await expect(
    accounts.createConnectedAccount({
      connector: 'gmail',
      identifier: 'default',
      connectedAccount: account('at'),
    }),
  ).rejects.toThrow(ScalekitConflictException);
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'ConnectedAccountService_ListConnectedAccounts', () =>
    accounts.listConnectedAccounts(),
  ));
