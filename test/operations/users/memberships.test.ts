import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import {
  failure,
  invalid,
  noPrefix,
  notAnEmail,
  notFound,
  pairs,
  refusal,
  required,
  tooLong,
  tooManyPairs,
  tooShort,
} from '../../support/violations.ts';
import { ACME, ADA, EMPTY_DESK, NINA, PRIYA } from '../../support/fixture-ids.ts';

const ADMIN = { id: 'role_10000000000000001', name: 'admin', display_name: 'Admin' };
const MEMBER = { id: 'role_10000000000000002', name: 'member', display_name: 'Member' };
const BILLING = { id: 'role_10000000000000101', name: 'billing_viewer', display_name: 'Billing viewer' };

const GUEST = 'role_10000000000000900';
const INVOICES_READ = 'perm_10000000000000101';

const pathOf = (organization: string, user: string) =>
  `/api/v1/memberships/organizations/${organization}/users/${user}`;
const byExternalId = (organization: string, id: string) =>
  `/api/v1/memberships/organizations/${organization}/users:external/${id}`;

/** The three paths that select Priya. */
const PATHS = [
  ['by id', pathOf(ACME, PRIYA)],
  ['by an external id instead of the id', pathOf(ACME, 'contractor-7')],
  ['by external id', byExternalId(ACME, 'contractor-7')],
] as const;

const BAD_METADATA = [
  ['a 21st pair', pairs(21), tooManyPairs(20)('membership.metadata')],
  ['a key of 2 characters', { ab: 'x' }, tooShort(3)('membership.metadata["ab"]')],
  [
    'a key of 26 characters',
    { ['k'.repeat(26)]: 'x' },
    tooLong(25)(`membership.metadata["${'k'.repeat(26)}"]`),
  ],
  ['an empty value', { team: '' }, tooShort(1)('membership.metadata["team"]')],
  ['a value of 257 characters', { team: 'x'.repeat(257) }, tooLong(256)('membership.metadata["team"]')],
] as const;

async function membershipIn(api: Agent, organization: string, user: string) {
  const { body } = await api.get(`/api/v1/users/${user}`).expect(200);
  const memberships = body.user.memberships as { organization_id: string }[];
  return memberships.find((membership) => membership.organization_id === organization);
}

/** Stores a role through the control API. */
const putRole = (control: Agent, id: string, role: { name: string } & Record<string, unknown>) =>
  control
    .put(`/state/roles/${id}`)
    .send({
      display_name: role.name,
      description: '',
      default_creator: false,
      default_member: false,
      permission_ids: [],
      ...role,
    })
    .expect(200);

describe('UserService_CreateMembership', () => {
  it.each(PATHS)('invites an existing user who is found %s', async (_, path) => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    const wanted = {
      inviter_email: 'ada@acme.example',
      metadata: { team: 'bread' },
      roles: [{ name: 'billing_viewer' }],
    };

    const created = await api.post(path).send(wanted).expect(201);

    expect(created.body.user).toMatchObject({
      id: PRIYA,
      memberships: [
        {
          organization_id: ACME,
          name: 'Acme Corp',
          display_name: 'Acme Corp',
          membership_status: 'PENDING_INVITE',
          provisioning_method: 'invitation',
          inviter_email: 'ada@acme.example',
          created_at: '2030-01-01T00:00:00.000Z',
          expires_at: '2030-01-16T00:00:00.000Z',
          metadata: { team: 'bread' },
          roles: [BILLING],
        },
      ],
    });
    const read = await api.get(`/api/v1/users/${PRIYA}`).expect(200);
    expect(read.body).toEqual(created.body);
    const mails = await control.get('/state/mails').expect(200);
    expect(mails.body.rows).toMatchObject([{ kind: 'invitation', to: 'priya@contractor.example' }]);
  });

  it('creates an active membership without an invitation', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });

    await api
      .post(`${pathOf(ACME, PRIYA)}?send_invitation_email=false`)
      .send({})
      .expect(201);

    const membership = await membershipIn(api, ACME, PRIYA);
    expect(membership).toMatchObject({
      membership_status: 'ACTIVE',
      provisioning_method: 'direct_provision',
      join_time: '2030-01-01T00:00:00.000Z',
    });
    expect(membership).not.toHaveProperty('expires_at');
    const mails = await control.get('/state/mails').expect(200);
    expect(mails.body.rows).toEqual([]);
  });

  it('refuses a user who is already a member', async () => {
    const { api } = await boot();

    const refused = await api.post(pathOf(ACME, ADA)).send({}).expect(409);

    expect(refused.body).toEqual(failure(6, 'ALREADY_EXISTS', 'user already exists in the organization'));
  });

  it.each([
    ['the organization', pathOf('org_9', PRIYA), 'organization org_9 not found'],
    ['the user', pathOf(ACME, 'usr_9'), 'user usr_9 not found'],
    ['the user by external id', byExternalId(ACME, PRIYA), `user ${PRIYA} not found`],
  ])('answers 404 when %s does not exist', async (_, path, message) => {
    const { api } = await boot();

    const refused = await api.post(path).send({}).expect(404);

    expect(refused.body).toEqual(notFound(message));
  });

  it('requires an organization id, a valid inviter email address and a body', async () => {
    const { api } = await boot();

    const wrong = await api.post(pathOf('acme', PRIYA)).send({ inviter_email: 'ada-at-acme' }).expect(400);
    const empty = await api.post(pathOf(ACME, PRIYA)).expect(400);

    expect(wrong.body).toEqual(
      refusal(noPrefix('org_')('organization_id'), notAnEmail('membership.inviter_email')),
    );
    expect(empty.body).toEqual(refusal(required('membership')));
  });

  it.each(BAD_METADATA)('refuses metadata with %s', async (_, metadata, violation) => {
    const { api } = await boot();

    const refused = await api.post(pathOf(ACME, PRIYA)).send({ metadata }).expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });
});

describe('the roles of a membership', () => {
  const addPriya = async (api: Agent, roles?: object[]) => {
    await api.post(pathOf(ACME, PRIYA)).send({ roles }).expect(201);
    return membershipIn(api, ACME, PRIYA);
  };

  it('are the default member role when none are given', async () => {
    const { api } = await boot();

    const membership = await addPriya(api, []);

    expect(membership).toMatchObject({
      roles: [MEMBER],
      permissions: ['sk_org_settings_read', 'sk_org_users_read'],
    });
  });

  it('are the default of the organization rather than of the environment', async () => {
    const { api, control } = await boot();
    await putRole(control, GUEST, { name: 'guest', organization_id: ACME });
    await control.patch(`/state/organizations/${ACME}`).send({ default_member_role_id: GUEST }).expect(200);

    const membership = await addPriya(api);
    await api.post(pathOf(EMPTY_DESK, PRIYA)).send({}).expect(201);

    expect(membership).toMatchObject({ roles: [{ name: 'guest' }], permissions: [] });
    expect(await membershipIn(api, EMPTY_DESK, PRIYA)).toMatchObject({ roles: [MEMBER] });
  });

  it('are empty when there is no default role', async () => {
    const { api, control } = await boot();
    await control.patch(`/state/roles/${MEMBER.id}`).send({ default_member: false }).expect(200);
    await putRole(control, GUEST, { name: 'guest', organization_id: ACME });
    await control.patch(`/state/organizations/${ACME}`).send({ default_member_role_id: GUEST }).expect(200);

    await api.post(pathOf(EMPTY_DESK, PRIYA)).send({}).expect(201);

    expect(await membershipIn(api, EMPTY_DESK, PRIYA)).toMatchObject({ roles: [], permissions: [] });
  });

  it('are found by name or id and stored once each', async () => {
    const { api } = await boot();

    const membership = await addPriya(api, [{ id: ADMIN.id }, { name: 'member', display_name: 'x' }, ADMIN]);

    expect(membership).toMatchObject({ roles: [ADMIN, MEMBER] });
  });

  it("prefer the organization's role over the environment's role of the same name", async () => {
    const { api, control } = await boot();
    const own = { name: 'admin', display_name: 'Acme admin', organization_id: ACME };
    await putRole(control, 'role_10000000000000900', own);

    const membership = await addPriya(api, [{ name: 'admin' }]);

    const role = { id: 'role_10000000000000900', name: 'admin', display_name: 'Acme admin' };
    expect(membership).toMatchObject({ roles: [role] });
  });

  it('grant the permissions of all base roles, each once', async () => {
    const { api, control } = await boot();
    const chief = {
      name: 'chief',
      base_role_id: BILLING.id,
      permission_ids: [INVOICES_READ, 'perm_10000000000000003'],
    };
    await putRole(control, 'role_10000000000000900', { ...chief, organization_id: ACME });

    const membership = await addPriya(api, [{ name: 'chief' }, { name: 'member' }]);

    expect(membership).toMatchObject({
      permissions: ['invoices:read', 'sk_org_users_read', 'sk_org_settings_read'],
    });
  });

  it('are resolved even when roles extend each other in a cycle', async () => {
    const { api, control } = await boot();
    const [hen, egg] = ['role_10000000000000900', 'role_10000000000000901'];
    await putRole(control, hen, { name: 'hen', permission_ids: [INVOICES_READ] });
    await putRole(control, egg, { name: 'egg', base_role_id: hen });
    await control.patch(`/state/roles/${hen}`).send({ base_role_id: egg }).expect(200);

    const membership = await addPriya(api, [{ name: 'egg' }]);

    expect(membership).toMatchObject({ permissions: ['invoices:read'] });
  });

  it('lose a deleted role', async () => {
    const { api, control } = await boot();
    await addPriya(api, [BILLING, MEMBER]);

    await control.delete(`/state/roles/${BILLING.id}`).expect(204);

    expect(await membershipIn(api, ACME, PRIYA)).toMatchObject({ roles: [MEMBER] });
  });

  it.each([
    ['does not exist', [{ name: 'nope' }], 'role nope not found'],
    ['has an unknown id', [{ id: 'role_9' }], 'role role_9 not found'],
    ['belongs to another organization', [BILLING], 'role billing_viewer not found'],
    ['has no name', [{ name: 'member' }, {}], 'role has neither a name nor an id'],
  ])('are refused when one %s', async (_, roles, message) => {
    const { api } = await boot();

    const refused = await api.post(pathOf(EMPTY_DESK, PRIYA)).send({ roles }).expect(400);

    expect(refused.body).toEqual(invalid(message));
    expect(await membershipIn(api, EMPTY_DESK, PRIYA)).toBeUndefined();
  });
});

describe('UserService_UpdateMembership', () => {
  const RAVI = 'usr_10000000000000102';
  const PATHS_TO_RAVI = [
    ['by id', pathOf(ACME, RAVI)],
    ['by an external id instead of the id', pathOf(ACME, 'crm-acme-ravi')],
    ['by external id', byExternalId(ACME, 'crm-acme-ravi')],
  ] as const;

  it.each(PATHS_TO_RAVI)('replaces the roles and metadata of a member who is found %s', async (_, path) => {
    const { api } = await boot();
    await api
      .patch(path)
      .send({ metadata: { team: 'bread', desk: '4a' } })
      .expect(200);

    const wanted = { roles: [{ name: 'admin' }, { name: 'billing_viewer' }], metadata: { team: 'cakes' } };
    const updated = await api.patch(path).send(wanted).expect(200);

    const read = await api.get(`/api/v1/users/${RAVI}`).expect(200);
    expect(updated.body).toEqual(read.body);
    expect(await membershipIn(api, ACME, RAVI)).toMatchObject({
      roles: [ADMIN, BILLING],
      metadata: { team: 'cakes' },
      membership_status: 'ACTIVE',
    });
  });

  it.each([{}, { roles: [], metadata: {} }, { metadata: { team: 'bread' } }])(
    'ignores fields that are missing or empty: %o',
    async (wanted) => {
      const { api } = await boot();
      await api
        .patch(pathOf(ACME, RAVI))
        .send({ metadata: { team: 'bread' } })
        .expect(200);

      await api.patch(pathOf(ACME, RAVI)).send(wanted).expect(200);

      expect(await membershipIn(api, ACME, RAVI)).toMatchObject({
        roles: [BILLING],
        metadata: { team: 'bread' },
      });
    },
  );

  it('changes only the membership of the given organization', async () => {
    const { api } = await boot();
    const other = await membershipIn(api, 'org_10000000000000002', NINA);

    await api
      .patch(pathOf(ACME, NINA))
      .send({ roles: [{ name: 'billing_viewer' }] })
      .expect(200);

    expect(await membershipIn(api, 'org_10000000000000002', NINA)).toEqual(other);
  });

  it.each(BAD_METADATA)('refuses metadata with %s', async (_, metadata, violation) => {
    const { api } = await boot();

    const refused = await api.patch(pathOf(ACME, RAVI)).send({ metadata }).expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });

  it('refuses an unknown role and changes nothing', async () => {
    const { api } = await boot();
    const before = await membershipIn(api, ACME, RAVI);
    const wanted = { metadata: { team: 'bread' }, roles: [{ name: 'nope' }] };

    const refused = await api.patch(pathOf(ACME, RAVI)).send(wanted).expect(400);

    expect(refused.body).toEqual(invalid('role nope not found'));
    expect(await membershipIn(api, ACME, RAVI)).toEqual(before);
  });

  it.each([
    ['the organization', pathOf('org_9', RAVI), 'organization org_9 not found'],
    ['the user', pathOf(ACME, 'usr_9'), 'user usr_9 not found'],
    ['the membership', pathOf(EMPTY_DESK, RAVI), `membership of ${RAVI} in ${EMPTY_DESK} not found`],
  ])('answers 404 when %s does not exist', async (_, path, message) => {
    const { api } = await boot();

    const refused = await api.patch(path).send({}).expect(404);

    expect(refused.body).toEqual(notFound(message));
  });

  it('requires a body and an organization id', async () => {
    const { api } = await boot();

    const empty = await api.patch(pathOf(ACME, RAVI)).expect(400);
    const wrong = await api.patch(byExternalId('acme', 'crm-acme-ravi')).send({}).expect(400);

    expect(empty.body).toEqual(refusal(required('membership')));
    expect(wrong.body).toEqual(refusal(noPrefix('org_')('organization_id')));
  });
});

describe('UserService_DeleteMembership', () => {
  it.each(PATHS)('deletes a user with the only membership when the user is found %s', async (_, path) => {
    const { api } = await boot();
    await api.post(path).send({}).expect(201);

    const deleted = await api.delete(path).expect(200);

    expect(deleted.body).toEqual({});
    const read = await api.get(`/api/v1/users/${PRIYA}`).expect(404);
    expect(read.body).toEqual(notFound(`user ${PRIYA} not found`));
  });

  it('keeps a user who has another membership', async () => {
    const { api } = await boot();

    await api.delete(pathOf(ACME, NINA)).expect(200);

    expect(await membershipIn(api, ACME, NINA)).toBeUndefined();
    expect(await membershipIn(api, 'org_10000000000000002', NINA)).toBeDefined();
    const listed = await api.get(`/api/v1/organizations/${ACME}/users`).expect(200);
    expect(JSON.stringify(listed.body)).not.toContain('nina@nordwind.example');
  });

  it('keeps the user with cascade=false', async () => {
    const { api } = await boot();

    await api.delete(`${pathOf(ACME, ADA)}?cascade=false`).expect(200);

    const read = await api.get(`/api/v1/users/${ADA}`).expect(200);
    expect(read.body.user.memberships).toEqual([]);
  });

  it('deletes the connected accounts of a deleted user', async () => {
    const { api, control } = await boot();
    const before = await control.get('/state/connected_accounts').expect(200);

    await api.delete(pathOf(ACME, ADA)).expect(200);

    const after = await control.get('/state/connected_accounts').expect(200);
    const others = before.body.rows.filter((account: { user_id?: string }) => account.user_id !== ADA);
    expect(others.length).toBeLessThan(before.body.rows.length);
    expect(after.body.rows).toEqual(others);
  });

  it('lets the user join again', async () => {
    const { api } = await boot();
    await api.delete(pathOf(ACME, NINA)).expect(200);

    const again = await api.post(pathOf(ACME, NINA)).send({});

    expect(again.status).toBe(201);
  });

  it.each([
    ['the organization', pathOf('org_9', ADA), 'organization org_9 not found'],
    ['the user', pathOf(ACME, 'usr_9'), 'user usr_9 not found'],
    ['the membership', pathOf(EMPTY_DESK, ADA), `membership of ${ADA} in ${EMPTY_DESK} not found`],
  ])('answers 404 when %s does not exist', async (_, path, message) => {
    const { api } = await boot();

    const refused = await api.delete(path).expect(404);

    expect(refused.body).toEqual(notFound(message));
  });

  it('refuses an invalid organization id and an invalid cascade value', async () => {
    const { api } = await boot();

    const refused = await api.delete(`${pathOf('acme', ADA)}?cascade=maybe`).expect(400);

    const description = 'value must be one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False';
    const noBoolean = { field: 'cascade', description, constraint: 'type' };
    expect(refused.body).toEqual(refusal(noPrefix('org_')('organization_id'), noBoolean));
  });
});
