import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { tokensOf, verified } from '../oauth-support.ts';
import { ACME, ADA, RAVI, SESSION_OF_ADA } from '../../support/fixture-ids.ts';

async function asAda(booted: Booted) {
  const { access_token } = await tokensOf(booted);
  const call = (verb: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) =>
    booted.anonymous[verb](`/api/v1${path}`)
      .set({ authorization: `Bearer ${access_token}` })
      .send(body);
  return { access_token, call };
}

describe('an access token of a user', () => {
  it("can read and change the user's own sessions and passkeys", async () => {
    const booted = await boot();
    const { call, access_token } = await asAda(booted);
    const { sid } = await verified(booted, access_token, new Date().toISOString());

    const sessions = await call('get', `/users/${ADA}/sessions`).expect(200);
    const passkeys = await call('get', '/webauthn/credentials').expect(200);
    await call('get', `/organizations/${ACME}/session-policy`).expect(200);

    expect(sessions.body.sessions.map((each: { session_id: string }) => each.session_id)).toContain(sid);
    const [passkey] = passkeys.body.credentials;
    expect(passkey.user_id).toBe(ADA);
    await call('patch', `/webauthn/credentials/${passkey.id}`, { display_name: 'Mine' }).expect(200);
    await call('delete', `/webauthn/credentials/${passkey.id}`).expect(200);
    await call('post', `/sessions/${SESSION_OF_ADA}/revoke`).expect(200);
  });

  it('is refused for rows of other users and organizations', async () => {
    const booted = await boot();
    const { call } = await asAda(booted);
    const { body: state } = await booted.control.get('/state').expect(200);
    const foreignId = (rows: { id: string; user_id: string }[]) =>
      rows.find(({ user_id }) => user_id !== ADA)!.id;

    const answers = [
      await call('get', `/users/${RAVI}/sessions`),
      await call('get', `/webauthn/credentials?user_id=${RAVI}`),
      await call('get', '/organizations/org_10000000000000002/session-policy'),
      await call('post', `/sessions/${foreignId(state.sessions)}/revoke`),
    ];

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [403, 7]));
  });

  it('is refused for operations that only clients can call', async () => {
    const booted = await boot();
    const { call } = await asAda(booted);

    const answers = [
      await call('get', '/organizations'),
      await call('get', `/users/${ADA}`),
      await call('get', `/sessions/${SESSION_OF_ADA}`),
      await call('post', `/users/${ADA}/sessions/revoke`),
    ];

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [403, 7]));
    expect(answers[0]!.body.message).toBe(
      'OrganizationService_ListOrganization is not for the token of a user',
    );
  });

  it('is refused after the user is deleted', async () => {
    const booted = await boot();
    const { call } = await asAda(booted);
    await booted.api.delete(`/api/v1/users/${ADA}`).expect(200);

    await call('get', `/users/${ADA}/sessions`).expect(401);
  });
});
