import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import { doneByRule, toldBy, typesOf } from '../../support/events.ts';
import { ADA, LENA, MARCO, NINA, TOM } from '../../operations/sign-in-support.ts';
import { ACME, NORDWIND, PRIYA } from '../../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const OF_LENA = '/state/memberships/mem_10000000000000006';
const LINK = '/ui/invitation/UnderstudyLenaInvitation0000000001';
const MEMBERSHIP = 'user.organization_membership';

const membershipPath = (organization: string, user: string) =>
  `/api/v1/memberships/organizations/${organization}/users/${user}`;
const directly = (organization: string, user: string) =>
  `${membershipPath(organization, user)}?send_invitation_email=false`;
const resendPath = (organization: string, user: string) =>
  `/api/v1/invites/organizations/${organization}/users/${user}/resend`;
const usersPath = (organization: string) => `/api/v1/organizations/${organization}/users`;

describe('the events of a new member', () => {
  it('contain the organization and the user', async () => {
    const { api } = await boot({ now: NOW });
    const grace = { email: 'grace@acme.example', user_profile: { given_name: 'Grace', groups: ['pilots'] } };

    const events = await toldBy(api, () =>
      api
        .post(`${usersPath(ACME)}?send_invitation_email=false`)
        .send(grace)
        .expect(201),
    );

    expect(events).toEqual([
      {
        spec_version: '1',
        id: expect.stringMatching(/^evt_\d{17,}$/),
        type: `${MEMBERSHIP}_created`,
        object: 'OrgMembership',
        occurred_at: NOW,
        environment_id: 'env_10000000000000001',
        organization_id: ACME,
        display_name: 'User Organization Membership Created',
        data: {
          organization: expect.objectContaining({ id: ACME, external_id: 'crm-acme' }),
          user: {
            id: expect.stringMatching(/^usr_/),
            email: 'grace@acme.example',
            external_id: null,
            metadata: null,
            create_time: NOW,
            update_time: NOW,
            user_profile: {
              id: expect.stringMatching(/^usp_/),
              name: 'Grace',
              given_name: 'Grace',
              family_name: '',
              email_verified: true,
              phone_number: '',
              phone_number_verified: false,
              picture: '',
              gender: '',
              locale: '',
              preferred_username: '',
              groups: ['pilots'],
              metadata: null,
              custom_attributes: null,
              external_identities: [],
            },
          },
        },
      },
    ]);
  });

  it('are organization_invitation when invited and membership_created when accepted', async () => {
    const booted = await boot();

    const invited = await toldBy(booted.api, () =>
      booted.api.post(membershipPath(ACME, PRIYA)).send({}).expect(201),
    );
    const accepted = await toldBy(booted.api, async () => (await new Browser(booted).open(LINK)).submit());

    expect(invited).toMatchObject([
      {
        type: 'user.organization_invitation',
        organization_id: ACME,
        data: { user: { id: PRIYA, external_id: 'contractor-7' } },
      },
    ]);
    expect(accepted).toMatchObject([
      { type: `${MEMBERSHIP}_created`, organization_id: NORDWIND, data: { user: { id: LENA.id } } },
    ]);
  });

  it('leave out failed calls', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.post(membershipPath(ACME, ADA.id)).send({}).expect(409);
      await api.post(directly(ACME, PRIYA)).send({ roles: [{ name: 'nobody' }] });
      await api.post(usersPath(ACME)).send({ email: 'no address' }).expect(400);
    });

    expect(events).toEqual([]);
  });

  it('are emitted for memberships that a scenario rule inserts', async () => {
    const booted = await boot();
    const of = { organization_id: ACME, user_id: PRIYA, role_ids: [], metadata: {}, resent_count: 0 };
    const row = { id: 'mem_1', membership_status: 'ACTIVE', ...of };

    const events = await toldBy(booted.api, () => doneByRule(booted, { memberships: [{ insert: row }] }));

    expect(events).toMatchObject([{ type: `${MEMBERSHIP}_created`, data: { user: { id: PRIYA } } }]);
  });
});

describe('the events of an invitation', () => {
  it('are emitted each time it is sent', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.patch(resendPath(NORDWIND, LENA.id)).send({}).expect(200);
      await api.patch(resendPath(NORDWIND, LENA.id)).send({}).expect(200);
      await api.patch(resendPath(ACME, MARCO.id)).send({}).expect(200);
      await api.patch(resendPath(ACME, TOM.id)).send({}).expect(404);
    });

    expect(events).toMatchObject([
      { type: 'user.organization_invitation', data: { user: { id: LENA.id } } },
      { type: 'user.organization_invitation', data: { user: { id: LENA.id } } },
      { type: 'user.organization_invitation', data: { user: { id: MARCO.id } } },
    ]);
  });

  it('include membership_updated when it expires', async () => {
    const { api, control } = await boot({ now: NOW });
    const open = { membership_status: 'PENDING_INVITE', expires_at: 'now+5m' };
    await control.patch(OF_LENA).send(open).expect(200);

    const events = await toldBy(api, () => control.post('/clock/advance').send({ by: '6m' }).expect(200));

    expect(events).toMatchObject([
      {
        type: `${MEMBERSHIP}_updated`,
        occurred_at: '2030-01-01T00:05:00.000Z',
        organization_id: NORDWIND,
        data: { user: { id: LENA.id } },
      },
    ]);
  });
});

describe('the events of a membership', () => {
  it('include membership_updated when its roles or metadata change', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api
        .patch(membershipPath(ACME, ADA.id))
        .send({ metadata: { desk: '4' } })
        .expect(200);
      await api
        .patch(membershipPath(ACME, ADA.id))
        .send({ roles: [{ name: 'member' }] })
        .expect(200);
      await api.patch(membershipPath(ACME, ADA.id)).send({}).expect(200);
      await api
        .patch(membershipPath(ACME, ADA.id))
        .send({ metadata: { desk: '4' } })
        .expect(200);
    });

    expect(events).toMatchObject([
      { type: `${MEMBERSHIP}_updated`, data: { user: { id: ADA.id } } },
      { type: `${MEMBERSHIP}_updated`, data: { user: { id: ADA.id } } },
    ]);
  });

  it('include membership_deleted when the membership or the user is deleted, with the deleted accounts', async () => {
    const { api } = await boot({ fixture: 'small' });

    const left = await toldBy(api, () => api.delete(membershipPath(ACME, ADA.id)).expect(200));
    const deleted = await toldBy(api, () => api.delete(`/api/v1/users/${NINA.id}`).expect(200));

    const ofAccounts = Array.from({ length: 2 }, () => ({ type: 'connected_account.deleted' }));
    expect(left).toMatchObject([
      { type: `${MEMBERSHIP}_deleted`, organization_id: ACME, data: { user: { id: ADA.id } } },
      ...ofAccounts,
    ]);
    expect(deleted).toMatchObject([
      { type: `${MEMBERSHIP}_deleted`, organization_id: NORDWIND, data: { user: { id: NINA.id } } },
      { type: `${MEMBERSHIP}_deleted`, organization_id: ACME, data: { organization: { id: ACME } } },
      ...ofAccounts,
    ]);
  });

  it('include only organization.deleted when the organization is deleted', async () => {
    const { api } = await boot();

    const events = await toldBy(api, () => api.delete(`/api/v1/organizations/${ACME}`).expect(200));

    expect(typesOf(events)).toEqual(['organization.deleted']);
  });

  it('include membership_updated when a deleted role is reassigned', async () => {
    const { api } = await boot();
    await api.post('/api/v1/roles').send({ name: 'pilot', display_name: 'Pilot' }).expect(201);
    await api
      .patch(membershipPath(ACME, ADA.id))
      .send({ roles: [{ name: 'pilot' }] })
      .expect(200);

    const events = await toldBy(api, () =>
      api.delete('/api/v1/roles/pilot?reassign_role_name=member').expect(200),
    );

    expect(typesOf(events).filter((type) => type.startsWith('user.'))).toEqual([`${MEMBERSHIP}_updated`]);
  });
});
