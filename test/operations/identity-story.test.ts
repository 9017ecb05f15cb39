import { expect, it } from 'vitest';
import { agentWith, boot, type Booted } from '../support/boot.ts';
import { NORDWIND, enable } from '../support/saml-sign-in.ts';
import { PASSKEYS } from '../support/passkeys.ts';
import { Browser } from '../support/browser.ts';
import { AUTHORIZE } from '../support/sso.ts';
import { ask, exchange } from './oauth-support.ts';

const ORGANIZATION = 'org_10000000000000002';
const KIM = 'kim@nordwind.example';

/** The types of the events that the application has got since the last call. */
async function heard({ control }: Booted, seen: Set<string>): Promise<string[]> {
  const { body } = await control.get('/webhooks/deliveries').expect(200);
  const fresh = (body.deliveries as { id: string; event_type: string }[]).filter(({ id }) => !seen.has(id));
  for (const { id } of fresh) seen.add(id);
  return fresh.map(({ event_type }) => event_type);
}

const act = async ({ control }: Booted, action: object) =>
  (
    await control
      .post('/idp/actions')
      .send({ provider: 'entra', user: KIM, ...action })
      .expect(200)
  ).body;

/** Signs Kim in over SAML, and returns the access token. */
async function signInOverSaml(booted: Booted): Promise<string> {
  const browser = new Browser(booted);
  const begun = await browser.open(`${AUTHORIZE}&connection_id=${NORDWIND}`);
  const [id = ''] = /req_\d+/.exec(begun.url) ?? [];
  const page = await browser.open(`/sso/v1/saml/${NORDWIND}/init?auth_request_id=${id}`);
  const back = await (await page.submit({ email: KIM }, 'id="email"')).submit();
  const { body } = await ask(booted.anonymous, exchange(back.query('code')!)).expect(200);
  return body.access_token as string;
}

async function finishWithPasskey(booted: Booted, challenge: string): Promise<object> {
  const { body } = await booted.control.post('/passkeys/sign').send({ challenge }).expect(200);
  return body.body;
}

async function signInWithPasskey(booted: Booted) {
  const { body: begun } = await booted.anonymous
    .post(`${PASSKEYS}/authentication:begin`)
    .send({})
    .expect(200);
  const body = await finishWithPasskey(booted, begun.options.challenge as string);
  return booted.anonymous.post(`${PASSKEYS}/authentication:finish`).send(body);
}

it('an employee of a customer comes and goes, and the application hears of it', async () => {
  const booted = await boot({ now: '2030-01-01T00:00:00Z' });
  await enable(booted);
  await booted.control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
  const seen = new Set<string>();

  await act(booted, { action: 'create', organization_id: ORGANIZATION, given_name: 'Kim' });
  expect(await heard(booted, seen)).toEqual([
    'organization.directory_enabled',
    'organization.directory.user_created',
    'user.organization_membership_created',
  ]);

  const token = await signInOverSaml(booted);
  expect(await heard(booted, seen)).toEqual(['user.login']);

  const kim = agentWith(booted.anonymous, token);
  // No event of the service tells of a passkey.
  const { body } = await kim.post(`${PASSKEYS}/registration:begin`).send({}).expect(200);
  const passkey = await finishWithPasskey(booted, body.options.challenge as string);
  await kim.post(`${PASSKEYS}/registration:finish`).send(passkey).expect(200);
  expect(await heard(booted, seen)).toEqual([]);

  expect((await signInWithPasskey(booted)).status).toBe(200);
  expect(await heard(booted, seen)).toEqual(['user.login']);

  await act(booted, { action: 'offboard' });
  expect(await heard(booted, seen)).toEqual([
    'organization.directory.user_updated',
    'user.organization_membership_updated',
    'user.logout',
    'user.logout',
  ]);
  const { body: left } = await booted.control.get('/state/memberships').expect(200);
  const own = left.rows.filter(
    ({ organization_id }: { organization_id: string }) => organization_id === ORGANIZATION,
  );
  expect(own.at(-1)).toMatchObject({ membership_status: 'INACTIVE' });
});
