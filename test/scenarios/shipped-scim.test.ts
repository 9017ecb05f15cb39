import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { asText, OKTA_ID, operations, provider, scimWith } from '../support/scim.ts';

const [ADA, ENGINEERING, FINANCE] = [
  'diruser_10000000000000621',
  'dirgroup_10000000000000611',
  'dirgroup_10000000000000612',
];
const load = ({ control }: Booted, name: string, params: object = {}) =>
  control.post('/scenarios').send({ name, params }).expect(201);

describe('scim-secret-rotated', () => {
  it('ends the secrets of every directory until there is a new one', async () => {
    const booted = await boot();
    const [okta, other] = [await provider(booted, OKTA_ID), await provider(booted)];

    await load(booted, 'scim-secret-rotated');

    await okta.scim.get('/Users').expect(401);
    await other.scim.get('/Users').expect(401);
    const { scim } = await provider(booted, OKTA_ID);
    await scim.get('/Users').expect(200);
  });

  it('ends those of one directory', async () => {
    const booted = await boot();
    const [okta, other] = [await provider(booted, OKTA_ID), await provider(booted)];

    await load(booted, 'scim-secret-rotated', { directory_id: OKTA_ID });

    await okta.scim.get('/Users').expect(401);
    await other.scim.get('/Users').expect(200);
  });
});

describe.each([
  ['scim-user-deleted', 'directory_user_id', 'Users', ADA, 'diruser_10000000000000622'],
  ['scim-group-deleted', 'directory_group_id', 'Groups', FINANCE, ENGINEERING],
])('%s', (name, param, endpoint, gone, other) => {
  const change = asText(operations({ op: 'replace', path: 'displayName', value: 'New' }));

  it('removes what a call names', async () => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);
    await load(booted, name);

    await scim.get(`/${endpoint}`).expect(200);
    await scim.patch(`/${endpoint}/${gone}`).send(change).expect(404);

    await scim.get(`/${endpoint}/${gone}`).expect(404);
  });

  it('removes what is given, and nothing else', async () => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);
    await load(booted, name, { [param]: gone });

    await scim.patch(`/${endpoint}/${other}`).send(change).expect(200);

    await scim.get(`/${endpoint}/${gone}`).expect(404);
  });
});

describe('scim-group-deleted', () => {
  it('takes the roles of the group from its members', async () => {
    const booted = await boot();
    await load(booted, 'scim-group-deleted', { directory_group_id: FINANCE });

    const { body } = await booted.api.get('/api/v1/users/usr_10000000000000102').expect(200);

    expect(body.user.memberships[0].roles).toMatchObject([{ name: 'member' }]);
  });
});

describe('the fixture', () => {
  it('has a directory whose secret is known', async () => {
    const { anonymous } = await boot();

    await scimWith(anonymous, OKTA_ID, 'test_okta_directory_secret_T7qa').get('/Users').expect(200);
  });
});
