import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { ACME, LENA, MARCO, NORDWIND } from '../support/fixture-ids.ts';

async function loaded(name: string, params?: object) {
  const booted = await boot();
  await booted.control
    .post('/scenarios')
    .send(params ? { name, params } : { name })
    .expect(201);
  return booted;
}

const resend = (organization: string, user: string) =>
  `/api/v1/invites/organizations/${organization}/users/${user}/resend`;

describe('invite-expired', () => {
  it('expires an invitation; a resent invitation is pending', async () => {
    const { api } = await loaded('invite-expired');

    const { body } = await api.get(`/api/v1/users/${LENA}`).expect(200);
    const renewed = await api.patch(resend(NORDWIND, LENA)).send({}).expect(200);

    expect(body.user.memberships).toMatchObject([{ membership_status: 'INVITE_EXPIRED' }]);
    expect(renewed.body.invite).toMatchObject({ status: 'PENDING_INVITE', resent_count: 1 });
  });

  it('applies to the invitation that the call names, and to no other', async () => {
    const { api, control } = await loaded('invite-expired');
    const invited = { email: 'sam@acme.example', membership: { roles: [{ name: 'member' }] } };
    const { body: made } = await api
      .post(`/api/v1/organizations/${ACME}/users?send_invitation_email=true`)
      .send({ ...invited, external_id: 'sam-1' })
      .expect(201);
    const { id } = made.user;
    const status = async (path: string) =>
      (await api.get(path).expect(200)).body.user.memberships[0].membership_status;

    const before = [await status('/api/v1/users:external/sam-1'), await status(`/api/v1/users/${id}`)];
    await api.patch(resend(ACME, id)).send({}).expect(200);

    expect([...before, await status(`/api/v1/users/${id}`)]).toEqual([
      'INVITE_EXPIRED',
      'INVITE_EXPIRED',
      'PENDING_INVITE',
    ]);
    const { body: lena } = await control.get('/state/memberships/mem_10000000000000006').expect(200);
    expect(lena.membership_status).toBe('PENDING_INVITE');
  });

  it('applies to the invitation whose link is opened', async () => {
    const { anonymous, control } = await loaded('invite-expired');

    const page = await anonymous.get('/ui/invitation/UnderstudyLenaInvitation0000000001');

    expect(page.status).toBe(410);
    const { body: lena } = await control.get('/state/memberships/mem_10000000000000006').expect(200);
    expect(lena.membership_status).toBe('INVITE_EXPIRED');
  });

  it('lets a scenario that is loaded later reply', async () => {
    const { api, control } = await loaded('invite-expired');
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);

    await api.patch(resend(NORDWIND, LENA)).send({}).expect(429);
    await api.patch(resend(NORDWIND, LENA)).send({}).expect(200);
  });

  it('applies to any invited user', async () => {
    const { api } = await loaded('invite-expired', { organization_id: ACME, user_id: MARCO });

    const renewed = await api.patch(resend(ACME, MARCO)).send({}).expect(200);

    expect(renewed.body.invite).toMatchObject({ organization_id: ACME, user_id: MARCO });
  });

  it('cannot be loaded for a user who was not invited', async () => {
    const { control } = await boot();
    const params = { organization_id: NORDWIND, user_id: MARCO };

    const { body } = await control.post('/scenarios').send({ name: 'invite-expired', params }).expect(400);

    expect(body.message).toContain('memberships: no row matches');
  });
});

describe('invite-accepted', () => {
  it('makes the member active, and a resend is refused', async () => {
    const { api } = await loaded('invite-accepted');

    const { body } = await api.get(`/api/v1/users/${LENA}`).expect(200);
    const refused = await api.patch(resend(NORDWIND, LENA)).send({}).expect(400);

    expect(body.user.memberships).toMatchObject([{ membership_status: 'ACTIVE' }]);
    expect(refused.body.message).toContain('accepted');
  });
});

describe('seat-limit', () => {
  const joining = { membership: { roles: [{ name: 'member' }] } };

  it('refuses another user in the organization', async () => {
    const { api } = await loaded('seat-limit');

    const { body } = await api
      .post(`/api/v1/memberships/organizations/${NORDWIND}/users/${MARCO}`)
      .send(joining)
      .expect(400);

    expect(body.message).toMatch(/2/);
  });

  it('applies to the organization that the call names', async () => {
    const { api } = await loaded('seat-limit');

    await api.post(`/api/v1/memberships/organizations/${ACME}/users/${LENA}`).send(joining).expect(400);
  });

  it('has the number of seats of its parameter', async () => {
    const { api } = await loaded('seat-limit', { seats: 3 });
    const join = (user: string) =>
      api.post(`/api/v1/memberships/organizations/${NORDWIND}/users/${user}`).send(joining);

    await join(MARCO).expect(201);
    await join('usr_10000000000000104').expect(400);
  });
});

describe('session-revoked', () => {
  it('revokes a session, which cannot be revoked again', async () => {
    const { api } = await loaded('session-revoked');
    const session = '/api/v1/sessions/ses_10000000000000401';

    const { body } = await api.get(session).expect(200);
    const refused = await api.post(`${session}/revoke`).send({}).expect(400);

    expect(body).toMatchObject({ status: 'revoked' });
    expect(refused.body.message).toContain('only active sessions can be revoked');
  });
});

describe('session-revoked without a session', () => {
  it('applies to the session that the call names, and to no other', async () => {
    const { api, control } = await loaded('session-revoked');

    const { body } = await api.get('/api/v1/sessions/ses_10000000000000403').expect(200);
    const { body: other } = await control.get('/state/sessions/ses_10000000000000401').expect(200);

    expect([body.status, other.status]).toEqual(['revoked', 'active']);
  });
});

describe('magic-link-expired', () => {
  const REQUEST = 'cGFzc3dvcmRsZXNzLWFkYS1wZW5kaW5nLWNvZGUtYW5kLWxpbms';

  it('rejects the mailed code until it is resent', async () => {
    const { api } = await loaded('magic-link-expired');
    const verify = { auth_request_id: REQUEST, code: '424242' };

    const { body } = await api.post('/api/v1/passwordless/email/verify').send(verify).expect(400);
    await api.post('/api/v1/passwordless/email/resend').send({ auth_request_id: REQUEST }).expect(200);
    await api.post('/api/v1/passwordless/email/verify').send(verify).expect(200);

    expect(body.message).toBe('code or link has expired');
  });

  it('applies to any email address', async () => {
    const { api, control } = await boot();
    const email = 'nina@nordwind.example';
    const sent = await api.post('/api/v1/passwordless/email/send').send({ email }).expect(200);
    const { body: mail } = await control.get(`/mail?to=${email}`).expect(200);

    await control.post('/scenarios').send({ name: 'magic-link-expired', params: { email } }).expect(201);

    const { auth_request_id } = sent.body;
    const { code } = mail.mails[0];
    await api.post('/api/v1/passwordless/email/verify').send({ auth_request_id, code }).expect(400);
  });
});

describe('the changes of a shipped scenario', () => {
  it.each(['invite-expired', 'invite-accepted', 'seat-limit', 'session-revoked', 'magic-link-expired'])(
    'are reverted by a reset: %s',
    async (name) => {
      const { control } = await boot();
      const hash = async () => (await control.get('/state/hash').expect(200)).body.hash as string;
      await control.post('/reset').expect(204);
      const before = await hash();

      await control.post('/scenarios').send({ name }).expect(201);
      const after = await hash();
      await control.post('/reset').expect(204);

      expect(after).not.toBe(before);
      expect(await hash()).toBe(before);
    },
  );
});
