import { describe, expect, it } from 'vitest';
import { boot, type Agent, type Booted } from '../../../../test/support/boot.ts';
import { toldBy, typesOf } from '../../../../test/support/events.ts';
import {
  asText,
  aUser,
  ENTERPRISE,
  ERROR,
  operations,
  provider,
  pushUser,
  USER,
  OKTA_ID,
} from '../../../../test/support/scim.ts';
import { ACME } from '../../../../test/support/fixture-ids.ts';
import { multiply, servedDuring } from '../../../../test/support/turns.ts';

const NOW = '2026-03-02T09:00:00.000Z';

const failure = (status: number, detail: string, scimType?: string) => ({
  schemas: [ERROR],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
});

async function membershipOf(api: Agent, email: string) {
  const { body } = await api.get(`/api/v1/organizations/${ACME}/users?page_size=30`).expect(200);
  const user = body.users.find((each: { email: string }) => each.email === email);
  return user?.memberships.find((each: { organization_id: string }) => each.organization_id === ACME);
}

async function rowOf({ control }: Booted, id: string) {
  return (await control.get(`/state/directory_users/${id}`).expect(200)).body;
}

const ACME_EXTENSION = 'urn:ietf:params:scim:schemas:extension:acme:2.0:User';

describe('an extension that no schema has', () => {
  it('is kept in raw_attributes, changed by PATCH and PUT, and not given back', async () => {
    const booted = await boot({ now: NOW });
    const { scim } = await provider(booted);
    const raw = async () => (await rowOf(booted, id)).detail.raw_attributes[ACME_EXTENSION];
    const id = await pushUser(scim, 'mia@acme.example', { [ACME_EXTENSION]: { tag: 'blue', floor: 3 } });
    const patch = async (...changes: object[]) =>
      (
        await scim
          .patch(`/Users/${id}`)
          .send(asText(operations(...changes)))
          .expect(200)
      ).body;

    expect(await raw()).toEqual({ tag: 'blue', floor: 3 });
    const answer = await patch(
      { op: 'Add', path: `${ACME_EXTENSION}:tag`, value: 'red' },
      { op: 'Replace', path: 'title', value: 'Clerk' },
    );
    expect(answer).toMatchObject({ title: 'Clerk' });
    expect(answer).not.toHaveProperty([ACME_EXTENSION]);
    expect(await raw()).toEqual({ tag: 'red', floor: 3 });
    await patch({ op: 'add', value: { [ACME_EXTENSION]: { desk: ['a', 1] }, nickName: 'M' } });
    expect(await raw()).toEqual({ tag: 'red', floor: 3, desk: ['a', 1] });
    await patch(
      { op: 'remove', path: `${ACME_EXTENSION}:desk` },
      { op: 'replace', path: ACME_EXTENSION, value: { tag: 'x' } },
    );
    expect(await raw()).toEqual({ tag: 'x' });
    const events = await toldBy(booted.api, () =>
      patch({ op: 'replace', path: `${ACME_EXTENSION}:tag`, value: 'y' }),
    );
    expect(events).toMatchObject([{ data: { raw_attributes: { [ACME_EXTENSION]: { tag: 'y' } } } }]);
    expect(
      await toldBy(booted.api, () => patch({ op: 'replace', path: `${ACME_EXTENSION}:tag`, value: 'y' })),
    ).toEqual([]);
    await patch({ op: 'remove', path: ACME_EXTENSION });
    expect(await raw()).toBeUndefined();
    const again = aUser('mia@acme.example', { [ACME_EXTENSION]: { tag: 'new' } });
    await scim.put(`/Users/${id}`).send(asText(again)).expect(200);
    expect(await raw()).toEqual({ tag: 'new' });
    await scim
      .put(`/Users/${id}`)
      .send(asText(aUser('mia@acme.example')))
      .expect(200);
    expect(await raw()).toBeUndefined();
  });

  it('counts for the size of the resource', async () => {
    const { scim } = await provider(await boot({ now: NOW }));
    const id = await pushUser(scim, 'mia@acme.example');

    const large = { op: 'add', path: `${ACME_EXTENSION}:tag`, value: 'x'.repeat(100_001) };
    const { body } = await scim
      .patch(`/Users/${id}`)
      .send(asText(operations(large)))
      .expect(400);

    expect(body.detail).toContain('the resource is larger than 100000 characters');
  });

  it('has names that change nothing else', async () => {
    const { scim } = await provider(await boot({ now: NOW }));
    const id = await pushUser(scim, 'mia@acme.example');

    const path = `${ACME_EXTENSION}:__proto__`;
    const change = { op: 'add', path, value: { polluted: true } };
    await scim
      .patch(`/Users/${id}`)
      .send(asText(operations(change)))
      .expect(200);

    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('Scim_CreateUser', () => {
  it('adds the user to the directory, and gives them an account', async () => {
    const booted = await boot({ now: NOW });
    const { scim, id: directory } = await provider(booted);
    const sent = aUser('mia@acme.example', {
      externalId: '00u1mia',
      title: 'Clerk',
      [ENTERPRISE]: { department: 'Sales' },
    });

    const events = await toldBy(booted.api, () => scim.post('/Users').send(asText(sent)).expect(201));

    const { body: list } = await booted.api.get(
      `/api/v1/organizations/${ACME}/directories/${directory}/users?include_detail=true`,
    );
    expect(list.users).toMatchObject([
      {
        email: 'mia@acme.example',
        preferred_username: 'mia@acme.example',
        given_name: 'Mia',
        family_name: 'Roth',
        updated_at: NOW,
        user_detail: { dp_id: '00u1mia', active: true, title: 'Clerk', department: 'Sales' },
      },
    ]);
    expect(await membershipOf(booted.api, 'mia@acme.example')).toMatchObject({
      membership_status: 'ACTIVE',
      roles: [{ name: 'member' }],
    });
    expect(typesOf(events)).toEqual([
      'organization.directory.user_created',
      'user.organization_membership_created',
    ]);
    expect(events[0]).toMatchObject({
      data: { dp_id: '00u1mia', raw_attributes: { ...sent, schemas: [USER, ENTERPRISE] } },
    });
  });

  it('answers with the resource, its address and its version', async () => {
    const { scim, id: directory } = await provider(await boot({ now: NOW }));

    const answer = await scim
      .post('/Users')
      .send(asText(aUser('mia@acme.example')))
      .expect(201);

    const { id, meta } = answer.body;
    expect(answer.headers['content-type']).toBe('application/scim+json');
    expect(answer.headers['location']).toBe(meta.location);
    expect(answer.headers['etag']).toBe(meta.version);
    expect(meta).toMatchObject({ resourceType: 'User', created: NOW, lastModified: NOW });
    expect(meta.location).toMatch(new RegExp(`/directory/${directory}/scim/v2/Users/${id}$`));
    expect(answer.body).toMatchObject({ schemas: [USER], userName: 'mia@acme.example', active: true });
  });

  it('takes the vendor’s other address and application/json', async () => {
    const { anonymous, ...rest } = await boot();
    const { id, secret } = await provider({ anonymous, ...rest });

    const { body } = await anonymous
      .post(`/api/v1/directoies/${id}/scim/v2/Users`)
      .set('authorization', `Bearer ${secret}`)
      .send(aUser('mia@acme.example'))
      .expect(201);

    expect(body.meta.location).toContain(`/directory/${id}/scim/v2/Users/`);
  });

  it('refuses a userName that another user of the directory has, in any letter case', async () => {
    const { scim, id } = await provider(await boot());
    await pushUser(scim, 'mia@acme.example');

    const { body } = await scim
      .post('/Users')
      .send(asText(aUser('MIA@acme.example')))
      .expect(409);

    expect(body).toEqual(
      failure(409, `directory ${id} has a user with the userName MIA@acme.example`, 'uniqueness'),
    );
  });

  it('keeps a user without an e-mail address, whom nothing else shows until there is one', async () => {
    const booted = await boot();
    const { scim, id: directory } = await provider(booted);
    const users = () => booted.api.get(`/api/v1/organizations/${ACME}/directories/${directory}/users`);

    const { body } = await scim
      .post('/Users')
      .send(asText({ schemas: [USER], userName: 'mia' }))
      .expect(201);

    expect((await users()).body.users).toEqual([]);
    expect((await scim.get(`/Users/${body.id}`)).body).toMatchObject({ userName: 'mia' });
    const set = operations({ op: 'add', path: 'emails[type eq "work"].value', value: 'mia@acme.example' });
    const events = await toldBy(booted.api, () =>
      scim.patch(`/Users/${body.id}`).send(asText(set)).expect(200),
    );
    expect((await users()).body.users).toMatchObject([{ email: 'mia@acme.example' }]);
    expect(typesOf(events)).toContain('organization.directory.user_created');
  });

  it('gives no account to a user of a foreign domain', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);

    const events = await toldBy(booted.api, () => pushUser(scim, 'mia@contractor.example'));

    expect(typesOf(events)).toEqual(['organization.directory.user_created']);
    expect(await membershipOf(booted.api, 'mia@contractor.example')).toBeUndefined();
  });

  it('refuses a user for whom the organization has no seat, and keeps nothing', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    await booted.control.patch(`/state/organizations/${ACME}`).send({ max_allowed_users: 1 }).expect(200);

    const { body } = await scim
      .post('/Users')
      .send(asText(aUser('mia@acme.example')))
      .expect(403);

    expect(body.detail).toMatch(/may have no more than 1 users/);
    expect((await scim.get('/Users')).body.totalResults).toBe(0);
  });

  it.each([
    ['no userName', { schemas: [USER] }, 'userName'],
    ['an object as userName', { schemas: [USER], userName: {} }, 'userName'],
    [
      'two primary addresses',
      aUser('a@b.example', {
        emails: [
          { value: 'a@b.example', primary: true },
          { value: 'c@b.example', primary: true },
        ],
      }),
      'emails',
    ],
    ['a text that is no boolean', aUser('a@b.example', { active: 'maybe' }), 'active'],
    ['an address of 257 characters', aUser(`${'a'.repeat(250)}@b.test`), 'userName'],
  ])('refuses %s', async (_, sent, named) => {
    const { scim } = await provider(await boot());

    const { body } = await scim.post('/Users').send(asText(sent)).expect(400);

    expect(body).toMatchObject({ schemas: [ERROR], status: '400', scimType: 'invalidValue' });
    expect(body.detail).toContain(named);
    expect((await scim.get('/Users')).body.totalResults).toBe(0);
  });

  it('says that a body is no JSON', async () => {
    const { scim } = await provider(await boot());

    const { body } = await scim.post('/Users').send('{"userName":').expect(400);

    expect(body).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    expect(body.detail).toContain('malformed JSON');
  });
});

describe('Scim_PatchUser', () => {
  it('names the guess that refuses an address', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example');
    const sent = operations({ op: 'replace', path: 'emails[type eq "work"].value', value: 'mia at acme' });

    const { body } = await scim.patch(`/Users/${id}`).send(asText(sent)).expect(400);

    expect(body).toEqual(failure(400, 'emails: "mia at acme" is no e-mail address', 'invalidValue'));
    const { requests } = (await booted.control.get('/requests?limit=1').expect(200)).body;
    expect(requests[0].decided_by).toEqual(['scim/address-form']);
  });

  it('switches the membership off and on again', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example');
    const set = (active: unknown) =>
      scim.patch(`/Users/${id}`).send(asText(operations({ op: 'replace', value: { active } })));

    const off = await toldBy(booted.api, () => set(false).expect(200));

    expect(typesOf(off)).toEqual([
      'organization.directory.user_updated',
      'user.organization_membership_updated',
    ]);
    expect(off[0]).toMatchObject({ data: { active: false } });
    expect(await membershipOf(booted.api, 'mia@acme.example')).toMatchObject({
      membership_status: 'INACTIVE',
    });
    await set(true).expect(200);
    expect(await membershipOf(booted.api, 'mia@acme.example')).toMatchObject({ membership_status: 'ACTIVE' });
  });

  it('updates the profile of the account', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example');
    const change = operations(
      { op: 'replace', path: 'name.familyName', value: 'Berg' },
      { op: 'add', path: 'locale', value: 'de-DE' },
    );

    await scim.patch(`/Users/${id}`).send(asText(change)).expect(200);

    const { user_id } = (await rowsOf(booted, 'memberships')).at(-1);
    const { body } = await booted.api.get(`/api/v1/users/${user_id}`).expect(200);
    expect(body.user.user_profile).toMatchObject({ given_name: 'Mia', family_name: 'Berg', locale: 'de-DE' });
  });

  it('causes no event if nothing changes', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example');

    const events = await toldBy(booted.api, () =>
      scim
        .patch(`/Users/${id}`)
        .send(asText(operations({ op: 'Replace', path: 'active', value: 'True' })))
        .expect(200),
    );

    expect(events).toEqual([]);
  });

  it('refuses another e-mail address of an account, and changes nothing', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example');
    const before = await rowOf(booted, id);
    const change = operations(
      { op: 'replace', path: 'title', value: 'Chief' },
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'other@acme.example' },
    );

    const { body } = await scim.patch(`/Users/${id}`).send(asText(change)).expect(400);

    expect(body).toEqual(
      failure(
        400,
        'mia@acme.example is the address of an account and cannot change to other@acme.example; remove the user and push a new one',
        'mutability',
      ),
    );
    expect(await rowOf(booted, id)).toEqual(before);
  });

  it('lets a user without an account have another address', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@contractor.example');
    const change = operations({ op: 'replace', path: 'emails', value: [{ value: 'mia@other.example' }] });

    await scim.patch(`/Users/${id}`).send(asText(change)).expect(200);

    expect((await scim.get(`/Users/${id}`)).body.emails).toEqual([{ value: 'mia@other.example' }]);
  });
});

async function rowsOf({ control }: Booted, collection: string) {
  return (await control.get(`/state/${collection}?limit=1000`).expect(200)).body.rows;
}

describe('Scim_ReplaceUser', () => {
  it('drops what the new resource lacks, and keeps active', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example', { title: 'Clerk', active: false });
    const sent = { schemas: [USER], username: 'mia@acme.example', NAME: { GIVENNAME: 'Mia' } };

    const { body } = await scim.put(`/Users/${id}`).send(asText(sent)).expect(200);

    expect(body).toMatchObject({ userName: 'mia@acme.example', name: { givenName: 'Mia' }, active: false });
    expect(body).not.toHaveProperty('title');
  });
});

describe('values', () => {
  it.each([
    ['a text for the addresses', { emails: 'x' }],
    ['a value that is no address', { emails: [{ value: 'x' }] }],
    ['a list in a list', { emails: [['x@acme.example']] }],
    ['a truth that is none', { active: 'maybe' }],
    ['a text for an object', { name: 'Mia' }],
    ['an object for a text', { title: { value: 'x' } }],
    ['an object in the extension', { [ENTERPRISE]: { department: { value: 'x' } } }],
    ['a certificate that is no base64', { x509Certificates: [{ value: '!' }] }],
  ])('that no schema allows are refused by POST, PUT and PATCH: %s', async (_, wrong) => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const before = (await scim.get(`/Users/${id}`).expect(200)).body;
    const [[path, value]] = Object.entries(wrong) as [[string, unknown]];

    await scim
      .post('/Users')
      .send(asText(aUser('ida@acme.example', wrong)))
      .expect(400);
    await scim
      .put(`/Users/${id}`)
      .send(asText(aUser('mia@acme.example', wrong)))
      .expect(400);
    for (const change of [
      { op: 'replace', path, value },
      { op: 'add', path, value },
      { op: 'replace', value: wrong },
    ])
      await scim
        .patch(`/Users/${id}`)
        .send(asText(operations(change)))
        .expect(400);

    expect((await scim.get(`/Users/${id}`).expect(200)).body).toEqual(before);
  });

  it('may be numbers for texts, and have the URN of their schema before their name', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example', {
      [ENTERPRISE]: { employeeNumber: 701984 },
      [`${ENTERPRISE}:department`]: 'Sales',
      [`${USER}:title`]: 'Clerk',
      [`${ACME_EXTENSION}:tag`]: 'blue',
    });

    expect((await scim.get(`/Users/${id}`).expect(200)).body).toMatchObject({
      schemas: [USER, ENTERPRISE],
      title: 'Clerk',
      [ENTERPRISE]: { employeeNumber: '701984', department: 'Sales' },
    });
    expect((await rowOf(booted, id)).detail.raw_attributes[ACME_EXTENSION]).toEqual({ tag: 'blue' });
  });

  it('has an active user again when active is removed', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example', { active: false });

    const { body } = await scim
      .patch(`/Users/${id}`)
      .send(asText(operations({ op: 'remove', path: 'active' })))
      .expect(200);

    expect(body.active).toBe(true);
  });
});

describe('Scim_DeleteUser', () => {
  it('removes the user, switches the membership off and takes the roles of groups', async () => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);
    const { body: found } = await scim.get('/Users?filter=userName eq "ravi"').expect(200);

    const events = await toldBy(booted.api, () => scim.delete(`/Users/${found.Resources[0].id}`).expect(204));

    expect(typesOf(events)).toEqual([
      'user.organization_membership_updated',
      'organization.directory.user_deleted',
    ]);
    expect(await membershipOf(booted.api, 'ravi@acme.example')).toMatchObject({
      membership_status: 'INACTIVE',
      roles: [{ name: 'member' }],
    });
    await scim.get(`/Users/${found.Resources[0].id}`).expect(404);
  });

  it('lets the same address come back', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    await scim.delete(`/Users/${await pushUser(scim, 'mia@acme.example')}`).expect(204);

    await pushUser(scim, 'mia@acme.example');

    expect(await membershipOf(booted.api, 'mia@acme.example')).toMatchObject({ membership_status: 'ACTIVE' });
  });
});

describe('Scim_GetUser', () => {
  it('shows a user whom no provider has pushed', async () => {
    const { scim } = await provider(await boot(), OKTA_ID);

    const { body } = await scim.get('/Users/diruser_10000000000000621').expect(200);

    expect(body).toMatchObject({
      userName: 'ada',
      name: { givenName: 'Ada', familyName: 'Byrne' },
      title: 'CTO',
      emails: [{ value: 'ada@acme.example', primary: true }, { value: 'ada.byrne@acme.example' }],
      groups: [{ value: 'dirgroup_10000000000000611', display: 'Engineering' }],
      [ENTERPRISE]: { department: 'Engineering' },
    });
  });

  it('shows what was changed without SCIM', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example', { title: 'Clerk' });

    await booted.control
      .patch(`/state/directory_users/${id}`)
      .send({ email: 'new@acme.example', family_name: 'Berg' })
      .expect(200);

    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({
      emails: [{ value: 'new@acme.example', primary: true }, { value: 'mia@acme.example' }],
      name: { givenName: 'Mia', familyName: 'Berg' },
      title: 'Clerk',
    });
  });

  it('answers 304 for a known version, and refuses a change by an older one', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const { headers } = await scim.get(`/Users/${id}`).expect(200);
    const tag = headers['etag']!;
    const change = asText(operations({ op: 'replace', path: 'title', value: 'Chief' }));

    const known = await scim.get(`/Users/${id}`).set('if-none-match', tag).expect(304);
    await scim.patch(`/Users/${id}`).set('if-match', tag).send(change).expect(200);
    const late = await scim.delete(`/Users/${id}`).set('if-match', tag).expect(412);

    expect(known.text).toBe('');
    expect(late.body).toMatchObject({ schemas: [ERROR], status: '412' });
    expect(late.body.detail).toContain('read it again');
    await scim.get(`/Users/${id}`).set('if-none-match', tag).expect(200);
  });
});

describe('A filter over a large directory', () => {
  it('prepares the users in turns with other calls', async () => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);
    const name = (n: number) => `Person ${n}`;
    multiply(booted, 'directory_users', 5000, (n) => ({
      preferred_username: `person-${n}`,
      detail: { raw_attributes: { schemas: [USER], userName: `person-${n}`, displayName: name(n) } },
    }));
    const filter = encodeURIComponent('displayName co "Person 4999"');
    const listed = scim.get(`/Users?filter=${filter}`).expect(200);

    expect(await servedDuring(booted, listed)).toBeGreaterThan(2);

    const { body } = await scim.get(`/Users?filter=${filter}`).expect(200);
    expect(body.Resources).toMatchObject([{ userName: 'person-4999', displayName: name(4999) }]);
  });

  it('judges the users in turns with other calls', async () => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);
    multiply(booted, 'directory_users', 5000, (n) => ({ preferred_username: `person-${n}` }));

    const listed = scim.get('/Users?count=1&filter=meta.version%20eq%20%22none%22').expect(200);

    expect(await servedDuring(booted, listed)).toBeGreaterThan(2);
  });
});
