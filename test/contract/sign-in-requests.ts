import type { Booted } from '../support/boot.ts';
import type { Wanted } from './wanted.ts';
import { ACME, ADA } from '../support/fixture-ids.ts';

const ADA_CODE = 'cGFzc3dvcmRsZXNzLWFkYS1wZW5kaW5nLWNvZGUtYW5kLWxpbms';

export const AUTHORIZE =
  'client_id=skc_1000000000000000001&redirect_uri=http://localhost:3000/callback&response_type=code&scope=openid';
export const BROWSER = { cookie: 'understudy_login=browser-of-a-suite-1' };

/** Starts a sign-in and returns a form with its CSRF token. */
export const aSignIn = async ({ api, control }: Booted, form: object, known: object = {}) => {
  await api.get(`/oauth/authorize?${AUTHORIZE}`).set(BROWSER).expect(302);
  const { body: state } = await control.get('/state').expect(200);
  const { id, csrf_token } = state.login_transactions[0];
  await control.patch(`/state/login_transactions/${id}`).send(known).expect(200);
  return { body: { csrf_token, ...form } };
};

const aBareSignIn = async (booted: Booted, known: object = {}) => {
  await aSignIn(booted, {}, known);
  return {};
};
const FAILURE = {
  status: 'FAILED',
  failure: { id: 'err_1', error: 'access_denied', error_description: 'no' },
};
const aFailure = (booted: Booted) => aBareSignIn(booted, FAILURE);

/** A sign-in of a user without a passkey, in an environment that asks to add one. */
const aPasskeyOffer = async (booted: Booted, form: object = {}) => {
  const row = {
    provider: 'CUSTOM',
    type: 'WEBAUTHN',
    status: 'COMPLETED',
    enabled: true,
    provider_key: 'WEBAUTHN',
    key_id: 'WEBAUTHN',
    webauthn_config: { enable_auto_registration: true },
  };
  await booted.control.put('/state/connections/conn_10000000000000699').send(row).expect(200);
  return aSignIn(booted, form, { user_id: 'usr_10000000000000109' });
};

/** A login on a page of the customer's own, for a sign-in that has begun. */
const aLoginRequest = async (booted: Booted) => {
  await aSignIn(booted, {});
  const { body: state } = await booted.control.get('/state').expect(200);
  const row = {
    connection_id: 'conn_10000000000000253',
    auth_request_id: state.login_transactions[0].id,
    status: 'PENDING',
    expires_at: 'now+10m',
  };
  await booted.control.put('/state/login_requests/lri_10000000000000699').send(row).expect(200);
  return {};
};
const NINA = { user_id: 'usr_10000000000000103' };
const MAILED = { passwordless_request_id: ADA_CODE };
const LINK = 'link_token=3e6a5c1f-70b2-4d9e-8a64-1f2e3d4c5b6a_l';

/** Valid requests of the sign-in pages. */
export const SIGN_INS: Readonly<Record<string, Wanted>> = {
  LoginPage_Show: { headers: BROWSER, prepare: (booted) => aSignIn(booted, {}) },
  LoginPage_SignIn: {
    headers: BROWSER,
    prepare: (booted) => aSignIn(booted, { user_id: ADA }),
  },
  LoginPage_ShowSignUp: { headers: BROWSER, prepare: (booted) => aSignIn(booted, {}) },
  LoginPage_SignUp: {
    headers: BROWSER,
    prepare: (booted) =>
      aSignIn(booted, { email: 'mia@harbour.example', organization_name: 'Harbour Works' }),
  },
  LoginPage_ShowNewPasskey: { headers: BROWSER, prepare: (booted) => aPasskeyOffer(booted) },
  LoginPage_AddPasskey: { headers: BROWSER, prepare: (booted) => aPasskeyOffer(booted, { action: 'skip' }) },
  LoginPage_ShowCode: { headers: BROWSER, prepare: (booted) => aSignIn(booted, {}, MAILED) },
  LoginPage_EnterCode: {
    headers: BROWSER,
    prepare: (booted) => aSignIn(booted, { code: '424242' }, MAILED),
  },
  LoginPage_ResendCode: { headers: BROWSER, prepare: (booted) => aSignIn(booted, {}, MAILED) },
  LoginPage_ShowOrganizations: { headers: BROWSER, prepare: (booted) => aSignIn(booted, {}, NINA) },
  LoginPage_ChooseOrganization: {
    headers: BROWSER,
    prepare: (booted) => aSignIn(booted, { organization_id: ACME }, NINA),
  },
  LoginPage_Continue: { headers: BROWSER, prepare: (booted) => aSignIn(booted, {}, NINA) },
  AuthService_ListAuthMethods: { headers: BROWSER, prepare: aBareSignIn },
  AuthService_DiscoveryAuthMethod: { headers: BROWSER, prepare: aBareSignIn },
  AuthService_VerifyPasswordLessOtp: {
    headers: BROWSER,
    body: { code_challenge: '424242' },
    prepare: (booted) => aBareSignIn(booted, MAILED),
  },
  AuthService_ResendPasswordless: {
    headers: BROWSER,
    prepare: (booted) => aBareSignIn(booted, MAILED),
  },
  AuthService_ListUserOrganizations: {
    headers: BROWSER,
    prepare: (booted) => aBareSignIn(booted, NINA),
  },
  AuthService_SignupOrganization: { headers: BROWSER, prepare: (booted) => aBareSignIn(booted, NINA) },
  AuthService_GetAuthState: { headers: BROWSER, prepare: aBareSignIn },
  AuthService_GetAuthError: { prepare: aFailure },
  AuthService_GetAuthError2: { prepare: aFailure },
  AuthService_GetLoginRequestDetails: { prepare: aLoginRequest },
  InvitationPage_Accept: { body: { csrf_token: 'UnderstudyLenaInvitation0000000001' } },
  LoginPage_OpenLink: { query: LINK, prepare: (booted) => aSignIn(booted, {}, MAILED) },
  LoginPage_ConfirmLink: { query: LINK, prepare: (booted) => aSignIn(booted, {}, MAILED) },
};
