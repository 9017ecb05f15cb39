import { createHash } from 'node:crypto';
import { MCP_MESSAGES, MCP_WITH_TOKEN } from './mcp-messages.ts';
import { RESOURCE_REQUESTS } from './resource-requests.ts';
import { SCIM_REQUESTS } from './scim-requests.ts';
import { tokensOf } from '../operations/oauth-support.ts';
import type { Agent, Booted } from '../support/boot.ts';
import { createReady } from '../support/connections.ts';
import { assertionBody, beginAuthentication, beginRegistration } from '../support/passkeys.ts';
import { asAda, registered, registrationBody, relyingParty, softPasskey } from '../support/passkeys.ts';
import { assert, register } from '@understudy/webauthn/authenticator';
import { redirectAddress } from '@understudy/saml/bindings';
import { developmentKey } from '@understudy/saml/development-keys';
import { signText } from '../support/saml.ts';
import { portalCookie, portalLink } from '../support/portal.ts';
import { placeDelivery, webhookPortalLink } from '../support/webhook-portal.ts';
import { AUTHORIZE, BROWSER, SIGN_INS, aSignIn } from './sign-in-requests.ts';
import type { Wanted } from './wanted.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

const GMAIL = { id: 'ca_10000000000000301' };
const ADA_CODE = 'cGFzc3dvcmRsZXNzLWFkYS1wZW5kaW5nLWNvZGUtYW5kLWxpbms';
const TOKEN = 'UnderstudyAcmeOrganizationToken0001';
const CREDENTIALS = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
const CLIENTS = `/api/v1/organizations/${ACME}/clients`;

const anEnvironmentRole = async ({ api }: Booted) => {
  await api.post('/api/v1/roles').send({ name: 'auditor', display_name: 'Auditor' }).expect(201);
  return {};
};
const anotherSecret = async ({ api }: Booted) => {
  await api.post(`${CLIENTS}/m2morg_10000000000000001/secrets`).expect(201);
  return {};
};

/** A request of a service provider of the tester's. */
const SAML_REQUEST = Buffer.from(
  '<p:AuthnRequest xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" ID="_1" Version="2.0" AssertionConsumerServiceURL="http://sp.example/acs"><i:Issuer xmlns:i="urn:oasis:names:tc:SAML:2.0:assertion">http://sp.example</i:Issuer></p:AuthnRequest>',
).toString('base64');

/** A sign-out by the simulated provider of the fixture's SAML connection, signed as a document and as a query. */
const SAML_LOGOUT = signText(
  [
    '<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_1" Version="2.0">',
    '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://sts.windows.example/nordwind</saml:Issuer>',
    '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">nina@nordwind.example</saml:NameID>',
    '</samlp:LogoutRequest>',
  ].join(''),
  '_1',
  developmentKey('provider'),
);

/** What the service asks and the simulated provider answers when a user signs out. */
/** Not signed: a signature would have to be that of the service. */
const SERVICE_LOGOUT = SAML_LOGOUT.replace(
  'https://sts.windows.example/nordwind',
  'http://sp.example',
).replace(/<ds:Signature.*<\/ds:Signature>/s, '');

const answersByForm = async ({ control }: Booted) => {
  const saml_config = { sp_entity_id: 'http://sp.example', idp_slo_request_binding: 'HTTP_POST' };
  await control.patch('/state/connections/conn_10000000000000252').send({ saml_config }).expect(200);
  return {};
};

const LOGOUT_ANSWER = [
  '<samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_2" InResponseTo="_1" Version="2.0">',
  '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://sts.windows.example/nordwind</saml:Issuer>',
  '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode></samlp:Status>',
  '</samlp:LogoutResponse>',
].join('');

/** A session whose sign-out waits for the provider's answer. */
const waitingSignOut = async ({ control }: Booted) => {
  const { body } = await control.get('/state').expect(200);
  const saml_logout = { connection_id: 'conn_10000000000000252', request_id: '_1' };
  await control.patch(`/state/sessions/${body.sessions[0].id}`).send({ saml_logout }).expect(200);
  return {};
};

/** The page that asks before a sign-out, of a session that is signed out at its provider with a form. */
const aSignOut = async ({ control, anonymous }: Booted) => {
  const connection_id = 'conn_10000000000000252';
  const saml_config = {
    idp_slo_url: 'http://idp.example/slo',
    idp_slo_required: true,
    idp_slo_request_binding: 'HTTP_POST',
  };
  await control.patch(`/state/connections/${connection_id}`).send({ saml_config }).expect(200);
  const { body } = await control.get('/state').expect(200);
  const { id } = body.sessions.find(({ status }: { status: string }) => status === 'active');
  const saml_names = [{ connection_id, name_id: 'nina@nordwind.example' }];
  await control.patch(`/state/sessions/${id}`).send({ cookie: 'of-a-suite', saml_names }).expect(200);
  const headers = { cookie: 'understudy_session=of-a-suite' };
  const { text } = await anonymous.get('/oidc/logout').set(headers).expect(200);
  return { headers, body: { csrf_token: /name="csrf_token" value="([^"]*)"/.exec(text)?.[1] } };
};

const SIGNED_LOGOUT = redirectAddress('', { name: 'SAMLRequest', xml: SAML_LOGOUT }).slice(1);

const theSignIn = async ({ control }: Booted) =>
  (await control.get('/state').expect(200)).body.login_transactions[0] as { id: string };

/** Starts a sign-in at an identity provider, with a connection that is ready. */
const atProvider = async (
  booted: Booted,
  protocol: 'oidc' | 'saml',
  form: object = {},
  changes: object = {},
) => {
  const connection = protocol === 'oidc' ? 'conn_10000000000000251' : 'conn_10000000000000252';
  const row = { status: 'COMPLETED', enabled: true, ...changes };
  await booted.control.patch(`/state/connections/${connection}`).send(row).expect(200);
  const { body } = await aSignIn(booted, form);
  const { id } = await theSignIn(booted);
  const start = `/sso/v1/${protocol}/${connection}/init?auth_request_id=${id}`;
  const { headers } = await booted.api.get(start).set(BROWSER).expect(302);
  return { body, id, location: headers['location']! };
};

/** Answers the sign-in at the identity provider. */
const answerAtProvider = async (booted: Booted, protocol: 'oidc' | 'saml') => {
  const { body, id } = await atProvider(booted, protocol, { email: 'ada@acme.example' });
  return booted.api.post(`/ui/identity-provider/${id}`).set(BROWSER).type('form').send(body);
};

const backFromOidc = async (booted: Booted) => {
  const { headers } = await answerAtProvider(booted, 'oidc');
  return { query: new URL(headers['location']!).search.slice(1) };
};

const backFromSaml = async (booted: Booted) => {
  const { text } = await answerAtProvider(booted, 'saml');
  const fields = [...text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  return { body: Object.fromEntries(fields) };
};

const backFromCustom = async (booted: Booted) => {
  const own = { custom_login_uri: 'https://desk.example.com/login' };
  const { location } = await atProvider(booted, 'oidc', {}, own);
  return { query: new URL(location).search.slice(1) };
};

const CONNECTING = { cookie: 'understudy_connect=browser-of-a-suite-1' };

/** Opens the link of an account, submits these forms and returns a form with its CSRF token. */
const aConnection = async ({ anonymous, control }: Booted, form: object, ...sent: object[]) => {
  await anonymous.get('/magicLink/6f1d2c3b-8a47-4e5f-9b60-2d3c4e5f6a7b_o').set(CONNECTING).expect(302);
  const { body: state } = await control.get('/state').expect(200);
  const { id, csrf_token } = state.account_authorizations[0];
  for (const each of sent) {
    const page = anonymous.post(`/ui/connect/${id}`).set(CONNECTING).type('form');
    await page.send({ csrf_token, ...each }).expect(303);
  }
  return { body: { csrf_token, ...form } };
};

const aConfirmation = async (booted: Booted) => {
  const settings = booted.control.patch('/state/settings/settings');
  await settings.send({ user_verification: 'service' }).expect(200);
  return aConnection(booted, { email: 'ada@acme.example' }, { outcome: 'granted' });
};
/** A request of an administrator in the portal of Nordwind. */
const inThePortal = (form: object = {}, first?: (api: Agent) => Promise<unknown>): Wanted => ({
  prepare: async ({ api, anonymous, control }) => {
    await first?.(api);
    const cookie = await portalCookie({ api, anonymous });
    const { body: state } = await control.get('/state').expect(200);
    const { csrf_token } = state.portal_sessions[0];
    return { headers: { cookie }, body: { csrf_token, ...form } };
  },
});

/** A request of a developer in the webhook portal, with an endpoint and a delivery. */
const inTheWebhookPortal = (form: object = {}): Wanted => ({
  prepare: async ({ api, anonymous, control }) => {
    await placeDelivery(control);
    const opened = await anonymous.get(await webhookPortalLink(api)).expect(302);
    const [, cookie = ''] = /^([^;]*)/.exec(String(opened.headers['set-cookie'])) ?? [];
    const { body: state } = await control.get('/state').expect(200);
    const { csrf_token } = state.webhook_portal_sessions[0];
    return { headers: { cookie }, body: { csrf_token, ...form } };
  },
});

const aWebhookPortalLink = async ({ api }: Booted) => {
  await webhookPortalLink(api);
  return {};
};

/** The access token of a signed-in user. */
const aUserToken = async (booted: Booted) => ({
  headers: { authorization: `Bearer ${(await tokensOf(booted)).access_token}` },
});

const aNewPasskey = async (booted: Booted) => {
  const { headers } = await aUserToken(booted);
  const { origin, rpId } = await relyingParty(booted);
  const challenge = await beginRegistration(await asAda(booted));
  return { headers, body: registrationBody(register(softPasskey(rpId), { challenge, origin })) };
};

const aPasskeySignIn = async (booted: Booted) => {
  const { passkey, origin } = await registered(booted);
  const { session_id, challenge } = await beginAuthentication(booted);
  return { body: assertionBody(session_id, passkey.credentialId, assert(passkey, { challenge, origin })) };
};

const aPasskeyOnThePage = async (booted: Booted) => {
  const { body } = await aSignIn(booted, {});
  const { session_id, challenge } = await beginAuthentication(booted);
  const signed = await booted.control.post('/passkeys/sign').send({ challenge }).expect(200);
  const { credential_id, response } = signed.body.body;
  return { body: { ...body, session_id, credential_id, ...response } };
};

const aCode = async ({ control }: Booted, user: string) =>
  (await control.get('/totp').query({ user }).expect(200)).body.code as string;

/** A code of the fixture's authenticator app, or of one of Ada. */
const withCode = (user = 'billing@acme.example', row: object = {}): Wanted => ({
  prepare: async (booted) => {
    if (user === ADA) await booted.control.post('/totp').send({ user }).expect(200);
    else await booted.control.patch('/state/totp_registrations/totp_10000000000000901').send(row).expect(200);
    return { body: { code: await aCode(booted, user) } };
  },
});

/** A sign-in of Ada that waits for a code. */
const aSecondFactor: Wanted = {
  headers: BROWSER,
  prepare: async (booted) => {
    await booted.control.post('/totp').send({ user: ADA }).expect(200);
    return aSignIn(booted, { code: await aCode(booted, ADA) }, { user_id: ADA });
  },
};

/** A request of Ada on a page of her profile. */
const onTheProfile = (form?: object): Wanted => ({
  headers: { cookie: 'understudy_session=session-of-ada' },
  prepare: async ({ control }) => {
    const row = { cookie: 'session-of-ada', status: 'active' };
    await control.patch('/state/sessions/ses_10000000000000401').send(row).expect(200);
    const csrf_token = createHash('sha256').update('profile session-of-ada').digest('base64url');
    return form ? { body: { ...form, csrf_token } } : {};
  },
});

/** Ada enables the app that she has begun to set up. */
const enablingAnApp: Wanted = {
  ...onTheProfile(),
  prepare: async (booted) => {
    await booted.api.post('/api/v1/totp/registration').send({ user_id: ADA }).expect(200);
    const { prepare } = onTheProfile({ action: 'enable', code: await aCode(booted, ADA) });
    return prepare?.(booted) ?? {};
  },
};

const PROXIED: Wanted = {
  headers: { connection_name: 'exa', identifier: 'research-bot' },
  prepare: async ({ control }) => {
    await control.put('/state/proxy_responses/every-call').send({ path: '/*', status: 200 }).expect(200);
    return {};
  },
};

const TOKEN_TEMPLATE = { plan: '{{organization.metadata.plan ?? "free"}}' };
const aTokenTemplate = async ({ api }: Booted) => {
  await api.put('/api/v1/token-templates').send({ template: TOKEN_TEMPLATE }).expect(200);
  return {};
};
const aTool = async ({ api }: Booted) => {
  const definition = { name: 'gmail_count', provider: 'GMAIL', schema_version: '2', tool_version: '1' };
  await api.post('/api/v1/tools').send({ definition }).expect(200);
  await api
    .post('/api/v1/tools')
    .send({ definition: { ...definition, schema_version: undefined, tool_version: undefined } })
    .expect(200);
  return {};
};

/** A test of a connection whose page is open. */
const anOpenTest = async ({ anonymous, control }: Booted) => {
  await anonymous.get('/sso/v1/oidc/conn_10000000000000251/test').expect(200);
  const { body } = await control.get('/state/connections/conn_10000000000000251').expect(200);
  const [{ id, csrf_token }] = body.tests;
  return { query: `test_request_id=${id}`, body: { csrf_token, email: 'ada@acme.example' } };
};

/** Valid requests by operation. The others use any row of the default environment and the example body. */
export const WANTED: Readonly<Record<string, Wanted>> = {
  OAuth_Authorize: { query: AUTHORIZE },
  OAuth_Authorize2: { body: Object.fromEntries(new URLSearchParams(AUTHORIZE)) },
  ...SIGN_INS,
  ...MCP_MESSAGES,
  IdentityProvider_Start: {
    headers: BROWSER,
    prepare: async (booted) => {
      const row = {
        status: 'COMPLETED',
        enabled: true,
        saml_config: { idp_sso_request_binding: 'HTTP_POST' },
      };
      await booted.control.patch('/state/connections/conn_10000000000000252').send(row).expect(200);
      // The draft would fail the sign-in.
      await booted.control.delete('/state/connections/conn_10000000000000253').expect(204);
      await aSignIn(booted, {});
      return { query: `auth_request_id=${(await theSignIn(booted)).id}` };
    },
  },
  IdentityProvider_Show: { headers: BROWSER, prepare: (booted) => atProvider(booted, 'oidc') },
  IdentityProvider_Answer: {
    headers: BROWSER,
    prepare: (booted) => atProvider(booted, 'saml', { email: 'ada@acme.example' }),
  },
  IdentityProvider_Return: { headers: BROWSER, prepare: backFromOidc },
  // Without the cookie the service sends the form again, by a page.
  IdentityProvider_ReturnSaml: { prepare: backFromSaml },
  IdentityProvider_ReturnCustom: { headers: BROWSER, prepare: backFromCustom },
  Saml_SignOn2: { body: { SAMLRequest: SAML_REQUEST } },
  Saml_ReceiveLogout: { query: SIGNED_LOGOUT },
  Logout_Confirm: { prepare: aSignOut },
  Saml_AnswerLogout: {
    query: redirectAddress('', { name: 'SAMLRequest', xml: SERVICE_LOGOUT }).slice(1),
    prepare: answersByForm,
  },
  Saml_AnswerLogout2: {
    body: { SAMLRequest: Buffer.from(SERVICE_LOGOUT).toString('base64') },
    prepare: answersByForm,
  },
  Saml_ReturnLogout: {
    query: redirectAddress('', {
      name: 'SAMLResponse',
      xml: LOGOUT_ANSWER,
      key: developmentKey('provider'),
    }).slice(1),
    prepare: waitingSignOut,
  },
  Saml_ReturnLogout2: {
    body: {
      SAMLResponse: Buffer.from(signText(LOGOUT_ANSWER, '_2', developmentKey('provider'))).toString('base64'),
    },
    prepare: waitingSignOut,
  },
  Saml_ReceiveLogout2: { body: { SAMLRequest: Buffer.from(SAML_LOGOUT).toString('base64') } },
  AccountPage_Show: { headers: CONNECTING, prepare: (booted) => aConnection(booted, {}) },
  AccountPage_Decide: {
    headers: CONNECTING,
    prepare: (booted) => aConnection(booted, { outcome: 'granted' }),
  },
  AccountPage_Confirm: { headers: CONNECTING, prepare: aConfirmation },
  AccountPage_ShowOutcome: {
    headers: CONNECTING,
    prepare: (booted) => aConnection(booted, {}, { outcome: 'denied' }),
  },
  ...SCIM_REQUESTS,
  ...RESOURCE_REQUESTS,
  OAuth_UserInfo: { prepare: aUserToken },
  OAuth_UserInfo2: { prepare: aUserToken },
  Portal_Show: inThePortal(),
  Portal_CreateConnection: inThePortal({ provider: 'OKTA', type: 'OIDC' }),
  Portal_ShowConnection: inThePortal(),
  Portal_UpdateConnection: inThePortal({ issuer: 'https://acme.okta.example' }),
  Portal_SwitchConnection: inThePortal({ enabled: 'false' }),
  Portal_TestConnection: inThePortal({}, createReady),
  Portal_AddDomain: inThePortal({ domain: 'sales.nordwind.example' }),
  Portal_VerifyDomain: inThePortal(),
  Portal_RemoveDomain: inThePortal(),
  Portal_CreateDirectory: inThePortal({ provider: 'OKTA' }),
  Portal_ShowDirectory: inThePortal(),
  Portal_SwitchDirectory: inThePortal({ enabled: 'false' }),
  Portal_CreateDirectorySecret: inThePortal(),
  Portal_RegenerateDirectorySecret: inThePortal(),
  Portal_SyncDirectory: inThePortal(),
  WebhookPortal_Open: { prepare: aWebhookPortalLink },
  WebhookPortal_Show: inTheWebhookPortal(),
  WebhookPortal_ShowNewEndpoint: inTheWebhookPortal(),
  WebhookPortal_AddEndpoint: inTheWebhookPortal({ url: 'http://localhost:3000/webhooks' }),
  WebhookPortal_ShowEndpoint: inTheWebhookPortal(),
  WebhookPortal_UpdateEndpoint: inTheWebhookPortal({ event_types: 'user.*' }),
  WebhookPortal_SwitchEndpoint: inTheWebhookPortal({ enabled: 'false' }),
  WebhookPortal_RotateSecret: inTheWebhookPortal(),
  WebhookPortal_RemoveEndpoint: inTheWebhookPortal(),
  WebhookPortal_SendTestEvent: inTheWebhookPortal({ event_type: 'user.login' }),
  WebhookPortal_ShowDelivery: inTheWebhookPortal(),
  WebhookPortal_Redeliver: inTheWebhookPortal(),
  OAuth_Token: { body: { grant_type: 'client_credentials', ...CREDENTIALS } },
  OrganizationService_SearchOrganization: { query: 'query=acme' },
  UserService_SearchUsers: { query: 'query=acme' },
  UserService_SearchOrganizationUsers: { query: 'query=acme' },
  LoginPage_SignInWithPasskey: { headers: BROWSER, prepare: aPasskeyOnThePage },
  ProfilePage_ShowPasskeys: onTheProfile(),
  ProfilePage_ChangePasskeys: onTheProfile({ action: 'remove', passkey_id: 'cred_10000000000000501' }),
  ProfilePage_ShowAuthenticator: onTheProfile(),
  ProfilePage_ChangeAuthenticator: enablingAnApp,
  LoginPage_ShowSecondFactor: aSecondFactor,
  LoginPage_EnterSecondFactor: aSecondFactor,
  TOTPService_RegisterTOTP: { body: { user_id: ADA } },
  TOTPService_EnableTOTP: withCode(undefined, { status: 'PENDING' }),
  TOTPService_DisableTOTP: withCode(),
  TOTPService_VerifyRegistrationCode: withCode(),
  TOTPService_VerifyUserCode: withCode(ADA),
  WebAuthnService_BeginRegistration: { prepare: aUserToken },
  WebAuthnService_FinishRegistration: { prepare: aNewPasskey },
  WebAuthnService_FinishAuthentication: { prepare: aPasskeySignIn },
  WebAuthnService_ListCredentials: { query: `user_id=${ADA}` },
  ConnectionService_SearchOrganizationConnections: { query: 'query=acme' },
  RolesService_UpdateDefaultRoles: { body: { default_creator_role: 'admin', default_member_role: 'member' } },
  RolesService_UpdateDefaultRoles2: {
    body: { default_creator_role: 'admin', default_member_role: 'member' },
  },
  RolesService_DeleteRole: { prepare: anEnvironmentRole },
  PasswordlessService_VerifyPasswordlessEmail: { body: { auth_request_id: ADA_CODE, code: '424242' } },
  PasswordlessService_ResendPasswordlessEmail: { body: { auth_request_id: ADA_CODE } },
  ConnectionService_AssignDomainsToConnection: { body: { domain_ids: [] } },
  ConnectedAccountService_SearchConnectedAccounts: { query: 'query=default' },
  ConnectedAccountService_CreateConnectedAccount: {
    body: { connector: 'linear', identifier: 'ada@acme.example', connected_account: {} },
  },
  ConnectedAccountService_UpdateConnectedAccount: { body: { ...GMAIL, connected_account: {} } },
  ConnectedAccountService_DeleteConnectedAccount: { body: GMAIL },
  ConnectedAccountService_GetConnectedAccountAuth: { query: `id=${GMAIL.id}` },
  ConnectedAccountService_GetConnectedAccountDetails: { query: `id=${GMAIL.id}` },
  ConnectedAccountService_GetMagicLinkForConnectedAccount: {
    body: { connector: 'gmail', identifier: 'default' },
  },
  ConnectedAccountService_AuthorizeOrgWideCredential: {
    prepare: async ({ control }) => {
      await control
        .patch('/state/connections/conn_10000000000000201')
        .send({ auth_mode: 'ORG_WIDE' })
        .expect(200);
      return {};
    },
    body: { connection_id: 'conn_10000000000000201' },
  },
  ConnectedAccountService_VerifyConnectedAccountUser: {
    body: { auth_request_id: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: 'ada@acme.example' },
  },
  ToolService_ExecuteTool: {
    body: { tool_name: 'gmail_fetch_mails', connected_account_id: GMAIL.id, params: {} },
  },
  InterceptorService_UpsertTokenTemplate: { body: { template: TOKEN_TEMPLATE } },
  InterceptorService_GetTokenTemplate: { prepare: aTokenTemplate },
  InterceptorService_DeleteTokenTemplate: { prepare: aTokenTemplate },
  InterceptorService_EnableTokenTemplate: { prepare: aTokenTemplate },
  InterceptorService_DisableTokenTemplate: { prepare: aTokenTemplate },
  InterceptorService_PreviewTokenTemplate: {
    body: { template: TOKEN_TEMPLATE, user_id: 'usr_10000000000000101' },
  },
  MembersService_CreateMember: { body: { email: 'ines@acme.example', role: 'ADMIN' } },
  ClientService_AddEnvironmentRedirectUri: { body: { redirect_uri: 'https://app.acme.example/other' } },
  ClientService_RemoveEnvironmentRedirectUri: {
    prepare: async ({ api }) => {
      for (const redirect_uri of ['https://app.acme.example/one', 'https://app.acme.example/other'])
        await api.post('/api/v1/environment/redirect-uris').send({ redirect_uri }).expect(200);
      return {};
    },
    query: 'redirect_uri=https://app.acme.example/other',
  },
  ClientService_SetEnvironmentInitiateLoginUri: {
    body: { initiate_login_uri: 'https://app.acme.example/login' },
  },
  OrganizationService_UpdateOrganizationBranding: {
    body: { source: 'BRANDING_SOURCE_CUSTOM', customization_settings: { primary_color: '#2b5797' } },
  },
  ToolService_RefreshTools: { body: { connector: 'apifymcp', identifier: 'research-bot' } },
  ToolService_UpdateTool: { prepare: aTool },
  ToolService_SetToolDefault: { prepare: aTool },
  ToolService_ListScopedTools: { query: 'identifier=default&filter.providers=GMAIL' },
  ToolService_ListAvailableTools: { query: 'identifier=default' },
  DirectoryService_AssignRoles: {
    body: { role_assignments: [{ group_id: 'dirgroup_10000000000000611', role_name: 'member' }] },
  },
  ConnectionService_GetConnectionTestResult: { prepare: anOpenTest },
  IdentityProvider_Test: { prepare: anOpenTest },
  ConnectionService_GetConnectionContext: { prepare: aUserToken },
  ConnectionService_GetConnectionContext2: { prepare: aUserToken },
  ConnectionService_UpdateConnectionContext: { prepare: aUserToken },
  ConnectionService_UpdateConnectionContext2: { prepare: aUserToken },
  ConnectedAccountService_ListMyAppConnections: { prepare: aUserToken },
  ConnectedAccountService_CreateRedirectUrl: {
    prepare: aUserToken,
    body: { scope_selection: { scopes: [] } },
  },
  ConnectedAccountService_GetRedirectUrl: { prepare: aUserToken },
  UserService_GetCurrentUser: { prepare: aUserToken },
  UserService_GetCurrentUser2: { prepare: aUserToken },
  UserService_GetSupportHash: { prepare: aUserToken },
  ConnectedAccountService_GetMyConnectionMagicLink: { prepare: aUserToken },
  ConnectedAccountService_DisconnectMyConnectedAccount: {
    prepare: async (booted) => {
      const mine = { identifier: 'ada@acme.example', user_id: ADA };
      await booted.control.patch(`/state/connected_accounts/${GMAIL.id}`).send(mine).expect(200);
      return aUserToken(booted);
    },
  },
  DirectoryService_AssignGroupsForDirectory: { body: { external_ids: ['00g1engineering'] } },
  DirectoryService_GetDirectoryContext: { prepare: aUserToken },
  DirectoryService_UpdateDirectoryContext: { prepare: aUserToken },
  McpService_CreateMcp: {
    body: { connected_account_identifier: 'default', tool_mappings: [{ connection_name: 'gmail' }] },
  },
  McpService_CreateMcpConfig: {
    body: { name: 'mornings', connection_tool_mappings: [{ connection_name: 'gmail', tools: [] }] },
  },
  McpService_EnsureMcpInstance: { body: { config_name: 'research', user_identifier: 'research-bot' } },
  McpService_CreateMcpSessionToken: { body: { identifier: 'research-bot', expiry: '3600s' } },
  McpService_CreateMcpSessionToken2: { body: { identifier: 'default', expiry: '3600s' } },
  ClientService_UpdateClientSecret: { body: { status: 'INACTIVE' }, prepare: anotherSecret },
  ClientService_UpdateClientSecret2: { body: { status: 'INACTIVE' }, prepare: anotherSecret },
  ActionsProxy_Get: PROXIED,
  ActionsProxy_Put: PROXIED,
  ActionsProxy_Post: PROXIED,
  ActionsProxy_Patch: PROXIED,
  ActionsProxy_Delete: PROXIED,
  ClientService_DeleteOrganizationClientSecret: { prepare: anotherSecret },
  EventsService_SendCustomEvent: {
    prepare: async (booted) => ({ headers: { cookie: await portalCookie(booted) } }),
  },
  OrganizationService_DeletePortalLinkByID: {
    prepare: async ({ api }) => {
      await portalLink(api, ACME);
      return {};
    },
  },
  ApiTokenService_ListTokens: { query: `organization_id=${ACME}` },
  ApiTokenService_CreateToken: { body: { organization_id: ACME, description: 'Nightly export' } },
  ApiTokenService_ValidateToken: { body: { token: TOKEN } },
  ApiTokenService_InvalidateToken: { body: { token: TOKEN } },
  ApiTokenService_UpdateToken: { body: { token: TOKEN, custom_claims: { plan: 'trial' } } },
};

/** Operations whose success a client cannot reach, with the reason. */
export const OUT_OF_REACH: Readonly<Record<string, string>> = {
  ConnectedAccountService_GetConnectedAccount: 'wants a token that is bound to a connected account',
  ConnectedAccountService_DisconnectConnectedAccount2: 'wants a token that is bound to a connected account',
  ConnectedAccountService_DisconnectConnectedAccount3: 'wants a token that is bound to a connected account',
  ApiTokenService_FetchToken: 'is blocked for every caller',
  Dummy_DummyService: 'is blocked for every caller',
  WebhookService_SendWebhookEvent: 'is blocked for every caller',
};

/** Operations whose path variable is not the id of a row, with the reason. */
export const NO_ROW: Readonly<Record<string, string>> = {
  ...MCP_WITH_TOKEN,
  AuthService_GetLoginRequestDetails: 'answers 400 for an unknown request, too',
  ClientService_RevokeCurrentAgentConsent: 'wants the token of a user first',
  ConnectionService_GetConnectionContext: 'wants the token of a user first',
  ConnectionService_GetConnectionContext2: 'wants the token of a user first',
  ConnectionService_UpdateConnectionContext: 'wants the token of a user first',
  ConnectionService_UpdateConnectionContext2: 'wants the token of a user first',
  ConnectedAccountService_GetMyConnectionMagicLink: 'wants the token of a user first',
  ConnectedAccountService_DisconnectMyConnectedAccount: 'wants the token of a user first',
  DomainService_ListAuthorizedDomains: 'the path names an origin',
  DirectoryService_GetDirectoryContext: 'wants the token of a user first',
  DirectoryService_UpdateDirectoryContext: 'wants the token of a user first',
  Portal_ShowConnection: 'the portal wants its session first',
  Portal_UpdateConnection: 'the portal wants its session first',
  Portal_SwitchConnection: 'the portal wants its session first',
  Portal_TestConnection: 'the portal wants its session first',
  Portal_VerifyDomain: 'the portal wants its session first',
  Portal_RemoveDomain: 'the portal wants its session first',
  Portal_ShowDirectory: 'the portal wants its session first',
  Portal_SwitchDirectory: 'the portal wants its session first',
  Portal_CreateDirectorySecret: 'the portal wants its session first',
  Portal_RegenerateDirectorySecret: 'the portal wants its session first',
  Portal_SyncDirectory: 'the portal wants its session first',
  WebhookPortal_ShowEndpoint: 'the portal wants its session first',
  WebhookPortal_UpdateEndpoint: 'the portal wants its session first',
  WebhookPortal_SwitchEndpoint: 'the portal wants its session first',
  WebhookPortal_RotateSecret: 'the portal wants its session first',
  WebhookPortal_RemoveEndpoint: 'the portal wants its session first',
  WebhookPortal_ShowDelivery: 'the portal wants its session first',
  WebhookPortal_Redeliver: 'the portal wants its session first',
  EventsService_SendCustomEvent: 'the path names the type of an event',
  WebhookService_SendTestEvent: 'an unknown type of event is a bad request',
  ActionsProxy_Get: "the path is the third-party application's",
  ActionsProxy_Put: "the path is the third-party application's",
  ActionsProxy_Post: "the path is the third-party application's",
  ActionsProxy_Patch: "the path is the third-party application's",
  ActionsProxy_Delete: "the path is the third-party application's",
};
