import { describe, expect, it } from 'vitest';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { toldBy } from '../support/events.ts';
import { ACME, ADA, NORDWIND } from '../support/fixture-ids.ts';
import { asText, OKTA_ID, operations, provider } from '../support/scim.ts';
import { ask, codeOf, exchange, NOW, OWN, refresh } from './oauth-support.ts';

const MEMBERSHIPS = '/api/v1/memberships/organizations';
const LOGOUT = 'http://127.0.0.1:9/logout';

const joinNordwind = ({ api }: Booted) =>
  api.post(`${MEMBERSHIPS}/${NORDWIND}/users/${ADA}?send_invitation_email=false`).send({}).expect(201);

/** Ada is a member of two organizations, and signed in to one of them. */
async function signedInAda(organization_id = ACME) {
  const booted = await boot({ now: NOW });
  await booted.control
    .patch(`/state/clients/${OWN.client_id}`)
    .send({ back_channel_logout_uris: [LOGOUT] })
    .expect(200);
  await joinNordwind(booted);
  const code = await codeOf(booted, { organization_id });
  const { body: tokens } = await ask(booted.anonymous, exchange(code)).expect(200);
  return { booted, tokens: tokens as { refresh_token: string } };
}

const latestSession = async (control: Agent) => (await control.get('/state/sessions')).body.rows.at(-1);

async function adaInDirectory(booted: Booted) {
  const { scim } = await provider(booted, OKTA_ID);
  const { body } = await scim.get('/Users?filter=emails.value+eq+%22ada@acme.example%22').expect(200);
  return { scim, path: `/Users/${body.Resources[0].id}` };
}

const ENDINGS: Record<string, (booted: Booted) => Promise<unknown>> = {
  async 'the directory deactivates the user'(booted) {
    const { scim, path } = await adaInDirectory(booted);
    const patch = operations({ op: 'replace', path: 'active', value: false });
    await scim.patch(path).send(asText(patch)).expect(200);
  },
  async 'the directory removes the user'(booted) {
    const { scim, path } = await adaInDirectory(booted);
    await scim.delete(path).expect(204);
  },
  'the simulated provider offboards the user': ({ control }) =>
    control.post('/idp/actions').send({ action: 'offboard', user: 'ada@acme.example' }).expect(200),
  'an administrator removes the membership': ({ api }) =>
    api.delete(`${MEMBERSHIPS}/${ACME}/users/${ADA}`).expect(200),
  'the organization is deleted': ({ api }) => api.delete(`/api/v1/organizations/${ACME}`).expect(200),
};

describe('a session ends when', () => {
  it.each(Object.entries(ENDINGS))('%s', async (_, end) => {
    const { booted, tokens } = await signedInAda();

    const events = await toldBy(booted.api, () => end(booted));

    const session = await latestSession(booted.control);
    expect(session).toMatchObject({ user_id: ADA, status: 'revoked', expired_at: NOW });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'user.logout',
        data: expect.objectContaining({ user_session: expect.objectContaining({ session_id: session.id }) }),
      }),
    );
    const { body } = await ask(booted.anonymous, refresh(tokens.refresh_token)).expect(400);
    expect(body.error).toBe('invalid_grant');
    const calls = await booted.control.get('/state/outgoing_calls').expect(200);
    expect(calls.body.rows).toMatchObject([
      { kind: 'back_channel_logout', url: LOGOUT, session_id: session.id },
    ]);
  });

  it('the user is in no other organization, even if the session names none', async () => {
    const { booted } = await signedInAda();
    const { id } = await latestSession(booted.control);
    await booted.control.patch(`/state/sessions/${id}`).send({ organization_id: null }).expect(200);
    await booted.api.delete(`${MEMBERSHIPS}/${NORDWIND}/users/${ADA}`).expect(200);
    const between = await latestSession(booted.control);

    await ENDINGS['the directory deactivates the user']!(booted);

    expect(between.status).toBe('active');
    expect((await latestSession(booted.control)).status).toBe('revoked');
  });
});

describe('a session in another organization', () => {
  it('goes on, without the organization that the user has left', async () => {
    const { booted, tokens } = await signedInAda(NORDWIND);
    const { id } = await latestSession(booted.control);
    const both = { authenticated_organizations: [ACME, NORDWIND] };
    await booted.control.patch(`/state/sessions/${id}`).send(both).expect(200);

    await ENDINGS['the directory deactivates the user']!(booted);

    expect(await latestSession(booted.control)).toMatchObject({
      status: 'active',
      organization_id: NORDWIND,
      authenticated_organizations: [NORDWIND],
    });
    await ask(booted.anonymous, refresh(tokens.refresh_token)).expect(200);
  });
});

it('a row that a tester changes ends no session', async () => {
  const { booted } = await signedInAda();
  const { body } = await booted.control.get('/state/memberships').expect(200);
  const { id } = body.rows.find(
    (each: Record<string, string>) => each['user_id'] === ADA && each['organization_id'] === ACME,
  );

  await booted.control.patch(`/state/memberships/${id}`).send({ membership_status: 'INACTIVE' }).expect(200);

  expect((await latestSession(booted.control)).status).toBe('active');
});
