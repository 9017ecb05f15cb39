import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import { failure, noPrefix, notFound, refusal, tooLong } from '../../support/violations.ts';
import { ACME, ADA, LENA, MARCO, NORDWIND, TOM } from '../../support/fixture-ids.ts';

const resendPath = (organization: string, user: string) =>
  `/api/v1/invites/organizations/${organization}/users/${user}/resend`;

const refused = (message: string) => failure(9, 'FAILED_PRECONDITION', message);

/** Boots with an invitation of Lena from noon on 1 January for 15 days. */
async function bootWithInvitation() {
  const booted = await boot({ now: '2030-01-01T12:00:00Z' });
  const open = { membership_status: 'PENDING_INVITE', created_at: 'now', expires_at: 'now+15d' };
  await booted.control.patch('/state/memberships/mem_10000000000000006').send(open).expect(200);
  return booted;
}

describe('UserService_ResendInvite', () => {
  it('sends a reminder for a valid invitation and keeps its expiry time', async () => {
    const booted = await bootWithInvitation();
    const api = await later(booted, '24h');

    const resent = await api.patch(resendPath(NORDWIND, LENA)).send({}).expect(200);

    expect(resent.body).toEqual({
      invite: {
        organization_id: NORDWIND,
        user_id: LENA,
        inviter_email: 'nina@nordwind.example',
        status: 'PENDING_INVITE',
        created_at: '2030-01-01T12:00:00.000Z',
        expires_at: '2030-01-16T12:00:00.000Z',
        resent_at: '2030-01-02T12:00:00.000Z',
        resent_count: 1,
      },
    });
    const mails = await booted.control.get('/state/mails').expect(200);
    const [{ link }] = mails.body.rows;
    expect(mails.body.rows).toEqual([
      {
        id: expect.stringMatching(/^mail_/),
        kind: 'invitation_reminder',
        to: 'lena@nordwind.example',
        subject: 'Reminder: You are invited to Nordwind GmbH',
        text: [
          'nina@nordwind.example invited you to join Nordwind GmbH.',
          `Accept the invitation:\n${link}`,
          'The invitation is valid until Wed, 16 Jan 2030 12:00 UTC.',
          'If you did not expect it, ignore this mail: nothing happens.',
        ].join('\n\n'),
        link: expect.stringMatching(/\/ui\/invitation\/UnderstudyLenaInvitation0000000001$/),
        time: '2030-01-02T12:00:00.000Z',
      },
    ]);
  });

  it('replaces an expired invitation with a new one', async () => {
    const booted = await bootWithInvitation();
    const api = await later(booted, '15d');
    const expired = await api.get(`/api/v1/users/${LENA}`).expect(200);
    expect(expired.body.user.memberships).toMatchObject([{ membership_status: 'INVITE_EXPIRED' }]);

    const resent = await api.patch(resendPath(NORDWIND, LENA)).send({}).expect(200);

    const dates = { created_at: '2030-01-16T12:00:00.000Z', expires_at: '2030-01-31T12:00:00.000Z' };
    expect(resent.body.invite).toMatchObject({ status: 'PENDING_INVITE', resent_count: 1, ...dates });
    const read = await api.get(`/api/v1/users/${LENA}`).expect(200);
    expect(read.body.user.memberships).toMatchObject([{ membership_status: 'PENDING_INVITE', ...dates }]);
    const mails = await booted.control.get('/state/mails').expect(200);
    expect(mails.body.rows).toMatchObject([
      { kind: 'invitation', to: 'lena@nordwind.example', subject: 'You are invited to Nordwind GmbH' },
    ]);
  });

  it('treats an invitation as valid until its last second', async () => {
    const api = await later(await bootWithInvitation(), '1295999s');

    const resent = await api.patch(resendPath(NORDWIND, LENA)).send({}).expect(200);

    expect(resent.body.invite.expires_at).toBe('2030-01-16T12:00:00.000Z');
  });

  it('counts reminders and new invitations together', async () => {
    const booted = await bootWithInvitation();
    const resend = async (api: Agent) => {
      const { body } = await api.patch(resendPath(NORDWIND, LENA)).send({}).expect(200);
      return body.invite.resent_count;
    };

    const counts = [await resend(booted.api), await resend(booted.api)];
    const api = await later(booted, '16d');
    counts.push(await resend(api), await resend(api));

    expect(counts).toEqual([1, 2, 3, 4]);
  });

  it('sets the expiry time of a new invitation from the settings', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await control.patch('/state/settings/settings').send({ invitation_expiry: 60 }).expect(200);

    const resent = await api.patch(resendPath(ACME, MARCO)).send({}).expect(200);

    expect(resent.body.invite.expires_at).toBe('2030-01-01T01:00:00.000Z');
  });

  it('finds a user by external id and needs no body', async () => {
    const { api } = await boot();
    const user = { email: 'zoe@acme.example', external_id: 'crm-zoe' };
    const created = await api.post(`/api/v1/organizations/${ACME}/users`).send(user).expect(201);

    const resent = await api.patch(resendPath(ACME, 'crm-zoe')).expect(200);

    expect(resent.body.invite).toMatchObject({ user_id: created.body.user.id, resent_count: 1 });
    expect(resent.body.invite).not.toHaveProperty('inviter_email');
  });

  it.each([
    ['was accepted', ACME, 'crm-nordwind-nina'],
    ['was never needed', ACME, ADA],
  ])('refuses an invitation that %s and sends no mail', async (_, organization, user) => {
    const { api, control } = await boot();

    const answer = await api.patch(resendPath(organization, user)).send({}).expect(400);

    expect(answer.body).toEqual(refused('invite already accepted'));
    const mails = await control.get('/state/mails').expect(200);
    expect(mails.body.rows).toEqual([]);
  });

  it('refuses an invitation that the scenario invite-accepted has accepted', async () => {
    const { api, control } = await boot();
    await control.post('/scenarios').send({ name: 'invite-accepted' }).expect(201);

    const answer = await api.patch(resendPath(NORDWIND, LENA)).send({}).expect(400);

    expect(answer.body).toEqual(refused('invite already accepted'));
  });

  it('is refused when full-stack authentication is off', async () => {
    const { api, control } = await boot();
    await control.patch('/state/settings/settings').send({ full_stack_auth: false }).expect(200);

    const answer = await api.patch(resendPath(NORDWIND, LENA)).send({}).expect(400);

    expect(answer.body).toEqual(refused('full-stack authentication is disabled'));
  });

  it('is refused when the settings have no invitation expiry', async () => {
    const { api, control } = await boot();
    await control.patch('/state/settings/settings').send({ invitation_expiry: 0 }).expect(200);

    const answer = await api.patch(resendPath(NORDWIND, LENA)).send({}).expect(400);

    expect(answer.body).toEqual(refused('user-management settings have no invitation expiry'));
  });

  it.each([
    ['the organization', 'org_9', LENA, 'organization org_9 not found'],
    ['the user', NORDWIND, 'usr_9', 'user usr_9 not found'],
    ['the membership', NORDWIND, ADA, `membership of ${ADA} in ${NORDWIND} not found`],
    ['the invitation', ACME, TOM, `invitation of ${TOM} to ${ACME} not found`],
  ])('answers 404 when %s does not exist', async (_, organization, user, message) => {
    const { api } = await boot();

    const answer = await api.patch(resendPath(organization, user)).send({}).expect(404);

    expect(answer.body).toEqual(notFound(message));
  });

  it('refuses malformed ids', async () => {
    const { api } = await boot();

    const answer = await api
      .patch(resendPath('nordwind', 'x'.repeat(511)))
      .send({})
      .expect(400);

    expect(answer.body).toEqual(refusal(noPrefix('org_')('organization_id'), tooLong(510)('id')));
  });
});
