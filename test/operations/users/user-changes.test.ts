import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { later } from '../../support/later.ts';
import {
  invalid,
  notFound,
  pairs,
  refusal,
  required,
  tooLong,
  tooManyPairs,
} from '../../support/violations.ts';
import { ACME, ADA, NINA, NORDWIND, RAVI } from '../../support/fixture-ids.ts';

const PATHS = [
  ['by id', `/api/v1/users/${RAVI}`],
  ['by an external id instead of the id', '/api/v1/users/crm-acme-ravi'],
  ['by external id', '/api/v1/users:external/crm-acme-ravi'],
] as const;

const membership = (organization: string, user: string) =>
  `/api/v1/memberships/organizations/${organization}/users/${user}`;

describe('UserService_UpdateUser', () => {
  it.each(PATHS)('changes only the given fields of a user found %s', async (_, path) => {
    const { api } = await boot({ now: '2030-01-01T00:00:00Z' });
    const before = (await api.get(path).expect(200)).body.user;
    const wanted = { metadata: { team: 'bread' }, user_profile: { locale: 'hi-IN', groups: ['finance'] } };

    const updated = await api.patch(path).send(wanted).expect(200);

    expect(updated.body.user).toEqual({
      ...before,
      update_time: '2030-01-01T00:00:00.000Z',
      metadata: { team: 'bread' },
      user_profile: { ...before.user_profile, ...wanted.user_profile },
    });
    const read = await api.get(path).expect(200);
    expect(read.body).toEqual(updated.body);
  });

  it('accepts all fields at their maximum lengths', async () => {
    const { api } = await boot();
    const wanted = {
      external_id: 'e'.repeat(255),
      metadata: pairs(20),
      user_profile: {
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
      },
    };

    const updated = await api.patch(`/api/v1/users/${RAVI}`).send(wanted).expect(200);

    expect(updated.body.user).toMatchObject(wanted);
  });

  it.each([
    [{ first_name: 'Ravindra' }, { given_name: 'Ravindra', family_name: 'Menon' }],
    [{ last_name: '' }, { given_name: 'Ravi', family_name: '' }],
    [
      { given_name: 'R', first_name: 'other' },
      { given_name: 'R', family_name: 'Menon' },
    ],
  ])('copies %o to both pairs of names', async (user_profile, { given_name, family_name }) => {
    const { api } = await boot();

    const updated = await api.patch(`/api/v1/users/${RAVI}`).send({ user_profile }).expect(200);

    expect(updated.body.user.user_profile).toMatchObject({
      given_name,
      family_name,
      first_name: given_name,
      last_name: family_name,
    });
  });

  it('replaces maps and lists as a whole', async () => {
    const { api } = await boot();
    const full = { metadata: { team: 'bread' }, custom_attributes: { desk: '4a' }, groups: ['a', 'b'] };
    const update = (metadata: object, user_profile: object) =>
      api.patch(`/api/v1/users/${RAVI}`).send({ metadata, user_profile }).expect(200);

    const kept = await update({ team: 'bread' }, full);
    const replaced = await update({ desk: '4a' }, { custom_attributes: { seat: '1' }, groups: ['c'] });

    expect(kept.body.user).toMatchObject({ metadata: { team: 'bread' }, user_profile: full });
    expect(replaced.body.user.metadata).toEqual({ desk: '4a' });
    expect(replaced.body.user.user_profile).toMatchObject({
      metadata: { team: 'bread' },
      custom_attributes: { seat: '1' },
      groups: ['c'],
    });
  });

  it('does not change the email address and warns about it', async () => {
    const { api } = await boot();

    const updated = await api.patch(`/api/v1/users/${RAVI}`).send({ email: 'x@acme.example' }).expect(200);

    expect(updated.body.user.email).toBe('ravi@acme.example');
    expect(updated.headers['understudy-warnings']).toBe('unknown: email');
  });

  it('sets, changes and removes the external id', async () => {
    const { api } = await boot();
    const set = (external_id: string) => api.patch(`/api/v1/users/${RAVI}`).send({ external_id }).expect(200);

    await set('crm-acme-ravi');
    await set('crm-2');
    await api.get('/api/v1/users:external/crm-acme-ravi').expect(404);
    await api.get('/api/v1/users:external/crm-2').expect(200);
    const without = await set('');

    expect(without.body.user).not.toHaveProperty('external_id');
  });

  it('refuses a taken external id and changes nothing', async () => {
    const { api, control } = await boot();
    const before = (await control.get('/state/hash').expect(200)).body;
    const wanted = { external_id: 'crm-acme-ada', metadata: { team: 'bread' } };

    const refused = await api.patch(`/api/v1/users/${RAVI}`).send(wanted).expect(400);

    expect(refused.body).toEqual(invalid('duplicate external_id crm-acme-ada'));
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before);
  });

  it('lists all violations', async () => {
    const { api } = await boot();
    const user_profile = { given_name: 'x'.repeat(256), first_name: 'x'.repeat(201), groups: ['a', 'a'] };

    const refused = await api
      .patch(`/api/v1/users/${RAVI}`)
      .send({ external_id: 'x'.repeat(256), metadata: pairs(21), user_profile })
      .expect(400);
    const missing = await api.patch(`/api/v1/users/${RAVI}`).expect(400);

    const { field_violations } = refused.body.details[0].validation_error_info;
    expect(field_violations).toEqual(
      expect.arrayContaining([
        tooLong(255)('user.external_id'),
        tooManyPairs(20)('user.metadata'),
        tooLong(255)('user.user_profile.given_name'),
        tooLong(200)('user.user_profile.first_name'),
        {
          field: 'user.user_profile.groups',
          description: 'repeated value must contain unique items',
          constraint: 'repeated.unique',
        },
      ]),
    );
    expect(field_violations).toHaveLength(5);
    expect(missing.body).toEqual(refusal(required('user')));
  });
});

describe('UserService_DeleteUser', () => {
  it.each(PATHS)('deletes a user found %s with all memberships', async (_, path) => {
    const { api } = await boot();
    const members = async () => (await api.get(`/api/v1/organizations/${ACME}/users`)).body.total_size;
    expect(await members()).toBe(5);

    const deleted = await api.delete(path).expect(200);

    expect(deleted.body).toEqual({});
    const read = await api.get(`/api/v1/users/${RAVI}`).expect(404);
    expect(read.body).toEqual(notFound(`user ${RAVI} not found`));
    expect(await members()).toBe(4);
  });

  it('frees the email address, the external id and the seat', async () => {
    const { api } = await boot();
    const nordwind = `/api/v1/organizations/${NORDWIND}`;
    const limit = { settings: { max_allowed_users: 2 } };
    await api.patch(`${nordwind}/settings/usermanagement`).send(limit).expect(200);
    await api.delete(`/api/v1/users/${NINA}`).expect(200);

    const user = { email: 'nina@nordwind.example', external_id: 'crm-nordwind-nina' };
    const created = await api.post(`${nordwind}/users`).send(user).expect(201);

    expect(created.body.user.id).not.toBe(NINA);
  });

  it('is permanent', async () => {
    const { api } = await boot();
    await api.delete(`/api/v1/users/${RAVI}`).expect(200);

    const again = await api.delete(`/api/v1/users/${RAVI}`).expect(404);

    expect(again.body).toEqual(notFound(`user ${RAVI} not found`));
  });
});

describe.each(['patch', 'delete'] as const)('%s of a user', (verb) => {
  it.each([
    ['/api/v1/users/usr_9', 'user usr_9 not found'],
    ['/api/v1/users/nobody', 'user nobody not found'],
    [`/api/v1/users:external/${ADA}`, `user ${ADA} not found`],
  ])('answers 404 for %s', async (path, message) => {
    const { api } = await boot();

    const refused = await api[verb](path)
      .send(verb === 'patch' ? {} : undefined)
      .expect(404);

    expect(refused.body).toEqual(notFound(message));
  });
});

describe('a user who was deleted with the last membership', () => {
  const DELETIONS = [
    ['a membership', (api: Agent) => api.delete(membership(ACME, RAVI))],
    ['an organization', (api: Agent) => api.delete(`/api/v1/organizations/${ACME}`)],
  ] as const;

  it.each(DELETIONS)('is not found by any operation after the deletion of %s', async (_, end) => {
    const { api } = await boot();
    await end(api).expect(200);

    const answers = [
      await api.get(`/api/v1/users/${RAVI}`),
      await api.get('/api/v1/users:external/crm-acme-ravi'),
      await api.patch(`/api/v1/users/${RAVI}`).send({}),
      await api.post(membership(NORDWIND, RAVI)).send({}),
      await api.delete(membership(NORDWIND, RAVI)),
      await api.delete('/api/v1/users:external/crm-acme-ravi'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    const listed = await api.get('/api/v1/users?page_size=100').expect(200);
    expect(JSON.stringify(listed.body)).not.toContain(RAVI);
    const found = await api.get('/api/v1/users:search?query=ravi').expect(200);
    expect(found.body.users).toEqual([]);
  });

  it.each(DELETIONS)('can be deleted once more after the deletion of %s, even much later', async (_, end) => {
    const booted = await boot();
    await end(booted.api).expect(200);
    const api = await later(booted, '30d');

    const deleted = await api.delete(`/api/v1/users/${RAVI}`).expect(200);

    expect(deleted.body).toEqual({});
    await api.delete(`/api/v1/users/${RAVI}`).expect(404);
  });

  it('frees the email address and the external id', async () => {
    const { api } = await boot();
    await api.delete(membership(ACME, RAVI)).expect(200);
    const user = { email: 'ravi@acme.example', external_id: 'crm-acme-ravi' };

    const created = await api.post(`/api/v1/organizations/${ACME}/users`).send(user).expect(201);

    expect(created.body.user.id).not.toBe(RAVI);
    await api.delete(`/api/v1/users/${RAVI}`).expect(200);
    await api.get('/api/v1/users:external/crm-acme-ravi').expect(200);
  });

  it('can be restored through the control API and deleted again', async () => {
    const { api, control } = await boot();
    const { body: row } = await control.get(`/state/users/${RAVI}`).expect(200);
    await api.delete(membership(ACME, RAVI)).expect(200);
    await control.put(`/state/users/${RAVI}`).send(row).expect(200);
    await api.post(membership(ACME, RAVI)).send({}).expect(201);

    await api.delete(membership(ACME, RAVI)).expect(200);

    await api.get(`/api/v1/users/${RAVI}`).expect(404);
    const { body } = await control.get(`/state/deleted_users/${RAVI}`).expect(200);
    expect(body).toEqual({ id: RAVI, delete_time: expect.any(String) });
  });
});
