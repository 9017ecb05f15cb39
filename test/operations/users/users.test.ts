import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import {
  failure,
  invalid,
  notAnEmail,
  notFound,
  pairs,
  refusal,
  required,
  tooLong,
  tooManyPairs,
  tooShort,
} from '../../support/violations.ts';
import { ACME, EMPTY_DESK } from '../../support/fixture-ids.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const usersOf = (organization: string) => `${ORGANIZATIONS}/${organization}/users`;

const MEMBER = { id: 'role_10000000000000002', name: 'member', display_name: 'Member' };
const EMPTY_PROFILE = {
  given_name: '',
  family_name: '',
  first_name: '',
  last_name: '',
  name: '',
  locale: '',
  email_verified: false,
  phone_number: '',
  phone_number_verified: false,
  metadata: {},
  custom_attributes: {},
  preferred_username: '',
  picture: '',
  groups: [],
  gender: '',
  external_identities: [],
};

const add = (api: Agent, organization: string, user: object, query = '') =>
  api.post(`${usersOf(organization)}${query}`).send(user);

const membershipsOf = (body: { user: { memberships: unknown[] } }) => body.user.memberships;

const EMPTY_EMAIL = {
  field: 'user.email',
  description: 'value is empty, which is not a valid email address',
  constraint: 'string.email_empty',
};

describe('UserService_CreateUserAndMembership', () => {
  it('invites a new user with a pending membership and a mail', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const user = { email: 'Zoe@Desk.example', membership: { inviter_email: 'ada@acme.example' } };

    const created = await add(api, EMPTY_DESK, user).expect(201);

    expect(created.body).toEqual({
      user: {
        id: expect.stringMatching(/^usr_\d{17,21}$/),
        environment_id: 'env_10000000000000001',
        create_time: '2030-01-01T00:00:00.000Z',
        update_time: '2030-01-01T00:00:00.000Z',
        email: 'Zoe@Desk.example',
        metadata: {},
        memberships: [
          {
            organization_id: EMPTY_DESK,
            name: 'Empty Desk',
            display_name: 'Empty Desk',
            membership_status: 'PENDING_INVITE',
            provisioning_method: 'invitation',
            inviter_email: 'ada@acme.example',
            created_at: '2030-01-01T00:00:00.000Z',
            expires_at: '2030-01-16T00:00:00.000Z',
            metadata: {},
            roles: [MEMBER],
            permissions: ['sk_org_settings_read', 'sk_org_users_read'],
          },
        ],
        user_profile: { ...EMPTY_PROFILE, id: expect.stringMatching(/^usp_\d{17,}$/) },
      },
    });
    const read = await api.get(`/api/v1/users/${created.body.user.id}`).expect(200);
    expect(read.body).toEqual(created.body);
    const mails = await control.get('/state/mails').expect(200);
    const [{ link }] = mails.body.rows;
    expect(mails.body.rows).toEqual([
      {
        id: expect.stringMatching(/^mail_/),
        kind: 'invitation',
        to: 'Zoe@Desk.example',
        subject: 'You are invited to Empty Desk',
        text: [
          'ada@acme.example invited you to join Empty Desk.',
          `Accept the invitation:\n${link}`,
          'The invitation is valid until Wed, 16 Jan 2030 00:00 UTC.',
          'If you did not expect it, ignore this mail: nothing happens.',
        ].join('\n\n'),
        link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/ui\/invitation\/\w{40}$/),
        time: '2030-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('creates an active member with a verified email address without an invitation', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });

    const created = await add(
      api,
      EMPTY_DESK,
      { email: 'zoe@desk.example' },
      '?send_invitation_email=false',
    ).expect(201);

    expect(created.body.user.user_profile.email_verified).toBe(true);
    expect(membershipsOf(created.body)).toEqual([
      {
        organization_id: EMPTY_DESK,
        name: 'Empty Desk',
        display_name: 'Empty Desk',
        membership_status: 'ACTIVE',
        provisioning_method: 'direct_provision',
        join_time: '2030-01-01T00:00:00.000Z',
        metadata: {},
        roles: [MEMBER],
        permissions: ['sk_org_settings_read', 'sk_org_users_read'],
      },
    ]);
    const mails = await control.get('/state/mails').expect(200);
    expect(mails.body.rows).toEqual([]);
  });

  it('sets the expiry time of the invitation from the settings', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await control.patch('/state/settings/settings').send({ invitation_expiry: 90 }).expect(200);

    const created = await add(api, EMPTY_DESK, { email: 'zoe@desk.example' }).expect(201);

    expect(membershipsOf(created.body)).toMatchObject([{ expires_at: '2030-01-01T01:30:00.000Z' }]);
  });

  it('creates an invitation without expiry when the settings have none', async () => {
    const booted = await boot();
    const settings = booted.control.patch('/state/settings/settings');
    await settings.send({ invitation_expiry: 0 }).expect(200);

    const created = await add(booted.api, EMPTY_DESK, { email: 'zoe@desk.example' }).expect(201);

    expect(membershipsOf(created.body)).toEqual([
      expect.not.objectContaining({ expires_at: expect.anything() }),
    ]);
    const api = await later(booted, '1000d');
    const read = await api.get(`/api/v1/users/${created.body.user.id}`).expect(200);
    expect(membershipsOf(read.body)).toMatchObject([{ membership_status: 'PENDING_INVITE' }]);
  });

  it('verifies the email address of an existing user without an invitation', async () => {
    const { api } = await boot();
    const lena = { email: 'lena@nordwind.example' };

    const invited = await add(api, EMPTY_DESK, lena).expect(201);
    const admitted = await add(api, ACME, lena, '?send_invitation_email=false').expect(201);

    expect(invited.body.user.user_profile.email_verified).toBe(false);
    expect(admitted.body.user.user_profile.email_verified).toBe(true);
  });

  it('stores the whole profile with all fields at their maximum lengths', async () => {
    const { api } = await boot();
    const profile = {
      given_name: 'é'.repeat(255),
      family_name: 'f'.repeat(255),
      name: 'n'.repeat(300),
      locale: 'de-DE',
      phone_number: '80384873',
      gender: 'any text',
      preferred_username: 'p'.repeat(512),
      picture: 'p'.repeat(2048),
      groups: Array.from({ length: 50 }, (_, i) => `${i}`.padEnd(250, 'g')),
      metadata: pairs(20),
      custom_attributes: { abc: 'v', ['k'.repeat(25)]: 'v'.repeat(256) },
    };
    const user = {
      email: 'zoe@desk.example',
      external_id: 'e'.repeat(255),
      metadata: pairs(20),
      user_profile: profile,
    };

    const created = await add(api, EMPTY_DESK, { ...user, membership: { metadata: pairs(20) } }).expect(201);

    expect(created.body.user).toMatchObject(user);
    expect(membershipsOf(created.body)).toMatchObject([{ metadata: pairs(20) }]);
  });

  it.each([
    [{ given_name: 'Zoe', family_name: 'Lind' }],
    [{ first_name: 'Zoe', last_name: 'Lind' }],
    [{ given_name: 'Zoe', family_name: 'Lind', first_name: 'other', last_name: 'other' }],
  ])('shows both pairs of names and no full name for %o', async (user_profile) => {
    const { api } = await boot();

    const created = await add(api, EMPTY_DESK, { email: 'zoe@desk.example', user_profile }).expect(201);

    expect(created.body.user.user_profile).toMatchObject({
      given_name: 'Zoe',
      first_name: 'Zoe',
      family_name: 'Lind',
      last_name: 'Lind',
      name: '',
    });
  });

  it('adds a membership to the user with the same email address in any letter case', async () => {
    const { api } = await boot();
    const user = { email: 'ADA@acme.example', user_profile: { given_name: 'Other' } };

    const created = await add(api, EMPTY_DESK, user).expect(201);

    expect(created.body.user).toMatchObject({
      id: 'usr_10000000000000101',
      email: 'ada@acme.example',
      user_profile: { given_name: 'Ada' },
      memberships: [{ organization_id: ACME }, { organization_id: EMPTY_DESK }],
    });
  });

  it('refuses a user who is already in the organization and sends no mail', async () => {
    const { api, control } = await boot();

    const refused = await add(api, ACME, { email: 'ada@acme.example' }).expect(409);

    expect(refused.body).toEqual(failure(6, 'ALREADY_EXISTS', 'user already exists in the organization'));
    const mails = await control.get('/state/mails').expect(200);
    expect(mails.body.rows).toEqual([]);
  });

  it('refuses a taken external id, even for an existing user', async () => {
    const { api } = await boot();

    const refused = await add(api, ACME, { email: 'zoe@acme.example', external_id: 'crm-acme-ada' }).expect(
      400,
    );

    const known = { email: 'lena@nordwind.example', external_id: 'crm-acme-ada' };
    const other = await add(api, ACME, known).expect(400);
    expect(refused.body).toEqual(invalid('duplicate external_id crm-acme-ada'));
    expect(other.body).toEqual(refused.body);
  });

  it('refuses an unknown role and stores neither user nor membership', async () => {
    const { api, control } = await boot();
    const hash = (await control.get('/state/hash').expect(200)).body;
    const user = { email: 'zoe@desk.example', membership: { roles: [{ name: 'billing_viewer' }] } };

    const refused = await add(api, EMPTY_DESK, user).expect(400);

    expect(refused.body).toEqual(invalid('role billing_viewer not found'));
    const after = await control.get('/state/hash').expect(200);
    expect(after.body).toEqual(hash);
  });

  it('answers 404 for an unknown organization with any id', async () => {
    const { api } = await boot();

    const refused = await add(api, 'acme', { email: 'zoe@acme.example' }).expect(404);

    expect(refused.body).toEqual(notFound('organization acme not found'));
  });

  it.each([
    ['a missing email address', { email: undefined }, [EMPTY_EMAIL]],
    ['an invalid email address', { email: 'zoe.desk.example' }, [notAnEmail('user.email')]],
    ['an empty email address', { email: '' }, [EMPTY_EMAIL]],
    ['a 21st pair of metadata', { metadata: pairs(21) }, [tooManyPairs(20)('user.metadata')]],
    [
      'bad keys and values of metadata',
      { metadata: { ab: 'x', plan: '' } },
      [tooShort(3)('user.metadata["ab"]'), tooShort(1)('user.metadata["plan"]')],
    ],
    [
      'a bad inviter',
      { membership: { inviter_email: 'a@b' } },
      [tooShort(5)('user.membership.inviter_email'), notAnEmail('user.membership.inviter_email')],
    ],
    [
      'an inviter of 255 characters',
      { membership: { inviter_email: `a@${'b.'.repeat(125)}com` } },
      [tooLong(254)('user.membership.inviter_email')],
    ],
    [
      'an external id of 256 characters',
      { external_id: 'x'.repeat(256) },
      [tooLong(255)('user.external_id')],
    ],
    [
      'bad metadata of the membership',
      { membership: { metadata: pairs(21) } },
      [tooManyPairs(20)('user.membership.metadata')],
    ],
  ])('refuses %s', async (_, wrong, violations) => {
    const { api } = await boot();

    const refused = await add(api, EMPTY_DESK, { email: 'zoe@desk.example', ...wrong }).expect(400);

    expect(refused.body).toEqual(refusal(...violations));
  });

  const profileField = (name: string) => `user.user_profile.${name}`;
  const unique = { description: 'repeated value must contain unique items', constraint: 'repeated.unique' };
  const atMost50 = {
    description: 'value must contain no more than 50 item(s)',
    constraint: 'repeated.max_items',
  };

  it.each([
    ['given_name', 'x'.repeat(256), tooLong(255)(profileField('given_name'))],
    ['family_name', 'x'.repeat(256), tooLong(255)(profileField('family_name'))],
    ['first_name', 'x'.repeat(201), tooLong(200)(profileField('first_name'))],
    ['last_name', 'x'.repeat(201), tooLong(200)(profileField('last_name'))],
    ['preferred_username', 'x'.repeat(513), tooLong(512)(profileField('preferred_username'))],
    ['picture', 'x'.repeat(2049), tooLong(2048)(profileField('picture'))],
    ['groups', Array.from({ length: 51 }, (_, i) => `g${i}`), { field: profileField('groups'), ...atMost50 }],
    ['groups', ['a', 'a'], { field: profileField('groups'), ...unique }],
    ['groups', ['a', ''], tooShort(1)(profileField('groups[1]'))],
    ['groups', ['x'.repeat(251)], tooLong(250)(profileField('groups[0]'))],
    ['metadata', pairs(21), tooManyPairs(20)(profileField('metadata'))],
    ['metadata', { ab: 'x' }, tooShort(3)(profileField('metadata["ab"]'))],
    ['custom_attributes', pairs(21), tooManyPairs(20)(profileField('custom_attributes'))],
    ['custom_attributes', { 1: 'x' }, tooShort(3)(profileField('custom_attributes["1"]'))],
    ['custom_attributes', { team: 'x'.repeat(257) }, tooLong(256)(profileField('custom_attributes["team"]'))],
  ])('enforces the limits of %s in the profile', async (name, value, violation) => {
    const { api } = await boot();
    const user = { email: 'zoe@desk.example', user_profile: { [name]: value } };

    const refused = await add(api, EMPTY_DESK, user).expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });

  it('requires a body', async () => {
    const { api } = await boot();

    const refused = await api.post(usersOf(EMPTY_DESK)).expect(400);

    expect(refused.body).toEqual(refusal(required('user')));
  });
});

describe('UserService_GetUser', () => {
  it.each([
    ['its id', '/api/v1/users/usr_10000000000000101'],
    ['an external id instead of the id', '/api/v1/users/crm-acme-ada'],
    ['the external id', '/api/v1/users:external/crm-acme-ada'],
  ])('finds a user by %s', async (_, path) => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });

    const read = await api.get(path).expect(200);

    expect(read.body.user).toMatchObject({
      id: 'usr_10000000000000101',
      external_id: 'crm-acme-ada',
      email: 'ada@acme.example',
      user_profile: {
        ...EMPTY_PROFILE,
        given_name: 'Ada',
        family_name: 'Byrne',
        first_name: 'Ada',
        last_name: 'Byrne',
        email_verified: true,
      },
      memberships: [
        { organization_id: ACME, membership_status: 'ACTIVE', provisioning_method: 'org_creator' },
      ],
    });
  });

  it('does not find a user by id under the external path', async () => {
    const { api } = await boot();

    const refused = await api.get('/api/v1/users:external/usr_10000000000000101').expect(404);

    expect(refused.body).toEqual(notFound('user usr_10000000000000101 not found'));
  });

  it('has no last_login_time before the first sign-in', async () => {
    const { api } = await boot();

    const never = await api.get('/api/v1/users/usr_10000000000000105').expect(200);
    const once = await api.get('/api/v1/users/usr_10000000000000101').expect(200);

    expect(never.body.user).not.toHaveProperty('last_login_time');
    expect(once.body.user).toHaveProperty('last_login_time');
  });

  it('answers 404 for an unknown user', async () => {
    const { api } = await boot();

    const refused = await api.get('/api/v1/users/usr_invalid123').expect(404);

    expect(refused.body).toEqual(notFound('user usr_invalid123 not found'));
  });

  it('refuses an id of 511 characters', async () => {
    const { api } = await boot();
    const long = 'x'.repeat(511);

    const byId = await api.get(`/api/v1/users/${long}`).expect(400);
    const byExternalId = await api.get(`/api/v1/users:external/${long}`).expect(400);

    expect(byId.body).toEqual(refusal(tooLong(510)('id')));
    expect(byExternalId.body).toEqual(refusal(tooLong(510)('external_id')));
  });
});
