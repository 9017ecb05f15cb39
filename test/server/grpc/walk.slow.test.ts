import { fromJson } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { readContract } from '../../../src/documents.ts';
import { operationsOf, type Documented } from '../../contract/bad-requests.ts';
import { call } from '../../contract/refusals.ts';
import { OUT_OF_REACH, WANTED } from '../../contract/valid-requests.ts';
import { addressesOf } from '../../support/addresses.ts';
import { tokensOf } from '../../operations/oauth-support.ts';
import { boot } from '../../support/boot.ts';
import { callRpc, grpcTo, messageOf, METHODS, openFor, told, toldOf } from './support.ts';

const compiled = new Map(readContract('openapi').operations.map((operation) => [operation.id, operation]));
/** Operations that differ, with the reason. Those of a user are called below, or where the reason says. */
const APART: Readonly<Record<string, string>> = {
  ClientService_ListCurrentAgentConsents: 'wants the token of a user',
  ClientService_RevokeCurrentAgentConsent: 'wants the token of a user',
  ConnectedAccountService_CreateRedirectUrl: 'wants the token of a user: see my-accounts.test.ts',
  ClientService_RegisterClient: 'its message has no token_endpoint_auth_method, so the client gets a secret',
  WebAuthnService_BeginRegistration: 'wants the token of a user: see passkeys.test.ts',
  WebAuthnService_FinishRegistration: 'wants the token of a user: see passkeys.test.ts',
  WebAuthnService_FinishAuthentication: 'wants a passkey that a user has registered: see passkeys.test.ts',
  ...Object.fromEntries(
    [
      'DiscoveryAuthMethod',
      'GetAuthError',
      'GetAuthState',
      'GetLoginRequestDetails',
      'ListAuthMethods',
      'ListUserOrganizations',
      'ResendPasswordless',
      'SignupOrganization',
      'VerifyPasswordLessOtp',
    ].map((name) => [
      `AuthService_${name}`,
      'wants the cookie of a browser that signs in: see sign-in-api.test.ts',
    ]),
  ),
  ConnectionService_GetConnectionTestResult: 'wants a test whose page is open',
  ClientService_GetConsentDetails: "wants the cookie of a user's browser",
};

/** Those that the token of a client may call. */
const operations = operationsOf('openapi').filter(
  ({ id, wants }) => METHODS.has(id) && wants === 'client' && !(id in OUT_OF_REACH) && !(id in APART),
);

/** One of two equal environments: the test calls one over REST and the other over gRPC. */
async function twin() {
  const booted = await boot({ baseUrl: 'http://service.example' });
  const clock = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };
  return { ...booted, ...(await booted.environment('twin', { clock })) };
}

describe.each(operations)('$id', (operation) => {
  it('has the same result over gRPC as over REST', async () => {
    const [rest, rpc] = [await twin(), await twin()];
    const transport = grpcTo(await openFor(rpc.understudy));
    const method = METHODS.get(operation.id)!;
    const { status } = compiled.get(operation.id)!;
    const { query = '', body = operation.body, headers = {}, prepare } = WANTED[operation.id] ?? {};
    await prepare?.(rest);
    await prepare?.(rpc);
    const { body: state } = await rest.control.get('/state').expect(200);

    let succeeded = false;
    for (const address of addressesOf(operation.template, state)) {
      const answer = await call(rest.api, operation, `${address}?${query}`, body).set(headers);
      const message = messageOf(method, { params: paramsOf(operation, address), query, body });
      const heard = await callRpc(transport, method, message, {
        ...headers,
        authorization: `Bearer ${rpc.token}`,
      });

      if (answer.status >= 400) expect(told(heard as ConnectError)).toEqual(toldOf(answer.body));
      else expect(heard).toEqual(fromJson(method.output, answer.body));
      succeeded = answer.status === status;
      if (succeeded) break;
    }
    expect(succeeded).toBe(true);
    expect(await hash(rpc)).toBe(await hash(rest));
  });
});

const hash = async ({ control }: Awaited<ReturnType<typeof twin>>) =>
  (await control.get('/state/hash').expect(200)).body.hash as string;

function paramsOf({ template }: Documented, address: string): Record<string, string> {
  const names = template.match(/(?<=\{)[^}]+(?=\})/g) ?? [];
  const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, '([^/]+?)')}$`);
  const values = pattern.exec(address)!.slice(1);
  return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index]!)]));
}

it('the consents of a user are listed and revoked over gRPC', async () => {
  const booted = await boot();
  const transport = grpcTo(await openFor(booted.understudy));
  const { access_token } = await tokensOf(booted);
  const ask = (id: string, params = {}) => {
    const method = METHODS.get(id)!;
    const message = messageOf(method, { params, query: '', body: undefined });
    return callRpc(transport, method, message, { authorization: `Bearer ${access_token}` });
  };

  const before = await ask('ClientService_ListCurrentAgentConsents');
  await ask('ClientService_RevokeCurrentAgentConsent', { consent_id: 'usrcnst_10000000000000001' });

  expect(before).toMatchObject({ consents: [{ id: 'usrcnst_10000000000000001' }] });
  expect(await ask('ClientService_ListCurrentAgentConsents')).toMatchObject({ consents: [] });
  expect(await ask('ClientService_GetConsentDetails')).toMatchObject({ code: Code.NotFound });
});
