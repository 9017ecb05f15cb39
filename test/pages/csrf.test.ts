import { describe, expect, it } from 'vitest';
import { addressesOf } from '../support/addresses.ts';
import { boot, type Booted } from '../support/boot.ts';
import { operationsOf } from '../contract/bad-requests.ts';
import { call } from '../contract/refusals.ts';
import { WANTED } from '../contract/valid-requests.ts';
import type { Wanted } from '../contract/wanted.ts';

const forms = operationsOf('openapi').filter(({ members }) => members.includes('csrf_token'));

const ADAS_COOKIE = 'UnderstudyAdasBrowser0000000000001';

const anOpenSession = async ({ control }: Booted) => {
  const [session] = (await control.get('/state').expect(200)).body.sessions;
  await control.patch(`/state/sessions/${session.id}`).send({ cookie: ADAS_COOKIE }).expect(200);
  return {};
};

/** Forms that change nothing in their usual state, with a state in which they do. */
const NOT_AS_THERE: Readonly<Record<string, Wanted>> = {
  Logout_Confirm: {
    headers: { cookie: `understudy_session=${ADAS_COOKIE}` },
    prepare: anOpenSession,
    body: {},
  },
};

/** The CSRF tokens of forged forms. */
const FORGED = { 'no token': undefined, 'the token of another page': 'UnderstudyNotThePagesOwnToken000' };

describe.each(forms)('the form of $id', (operation) => {
  it.each(Object.entries(FORGED))('is refused with %s and changes nothing', async (_, csrf_token) => {
    const booted = await boot();
    const { headers = {}, prepare, body: wanted } = NOT_AS_THERE[operation.id] ?? WANTED[operation.id] ?? {};
    const prepared = await prepare?.(booted);
    const { csrf_token: _own, ...filled } = (prepared?.body ?? wanted ?? operation.body) as Record<
      string,
      string
    >;
    const body = { ...filled, ...(csrf_token && { csrf_token }) };
    const { body: state } = await booted.control.get('/state').expect(200);
    const before = await booted.control.get('/state/hash');

    const answers = addressesOf(operation.template, state).map((address) =>
      call(booted.anonymous, operation, `${address}?${prepared?.query ?? ''}`, body).set({
        ...headers,
        ...prepared?.headers,
      }),
    );
    const statuses = (await Promise.all(answers)).map(({ status }) => status);

    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect((await booted.control.get('/state/hash')).body).toEqual(before.body);
  });
});

/** Forms without a CSRF token, each with its reason. */
const WITHOUT_TOKEN: Readonly<Record<string, string>> = {
  OAuth_Token: 'proves itself by the credentials in it',
  OAuth_Authorize2: 'only begins a sign-in, as its GET does',
  OAuth_Authorize4: 'only begins a sign-in, as its GET does',
  OAuth_Token2: 'proves itself by the credentials in it',
  OAuth_Introspect: 'proves itself by the credentials in it',
  OAuth_UserInfo2: 'proves itself by the token in it',
  OAuth_Revoke: 'proves itself by the credentials in it',
  Logout_EndSession2: 'is sent by applications; the id_token in it proves whose session it is',
  IdentityProvider_Initiate: 'plays a site of its own, which sends the browser anywhere it likes',
  Saml_SignOn2: 'is sent by service providers and changes nothing',
  Saml_ReceiveLogout2: 'is signed by the identity provider',
  Saml_ReturnLogout2: 'is signed by the identity provider',
  Saml_AnswerLogout2: 'is sent by the service and changes nothing',
  Saml_ProviderLogout: 'plays a site of its own, and changes nothing here',
  Saml_Answer: 'plays a site of its own, and changes nothing here',
  IdentityProvider_ReturnSaml: 'is sent by identity providers; the sign-in in it belongs to the browser',
};

it('each form has a CSRF token or a reason to have none', () => {
  const others = operationsOf('openapi').filter(
    ({ mediaType, members }) =>
      mediaType === 'application/x-www-form-urlencoded' && !members.includes('csrf_token'),
  );

  expect(others.filter(({ id }) => !(id in WITHOUT_TOKEN)).map(({ id }) => id)).toEqual([]);
});
