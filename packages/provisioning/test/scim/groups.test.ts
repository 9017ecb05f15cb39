import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { toldBy, typesOf } from '../../../../test/support/events.ts';
import {
  aGroup,
  asText,
  OKTA_ID,
  operations,
  provider,
  pushGroup,
  pushUser,
} from '../../../../test/support/scim.ts';

const ACME = '/api/v1/organizations/org_10000000000000001';

async function rolesOf(api: Agent, email: string): Promise<string[]> {
  const { body } = await api.get(`${ACME}/users?page_size=30`).expect(200);
  const user = body.users.find((each: { email: string }) => each.email === email);
  return user.memberships[0].roles.map(({ name }: { name: string }) => name);
}

const assign = (api: Agent, directory: string, group_id: string) =>
  api
    .put(`${ACME}/directories/${directory}/groups/-/roles:assign`)
    .send({ assignments: [{ group_id, role_name: 'admin' }] })
    .expect(200);

const memberIds = async (scim: Agent, id: string): Promise<string[]> =>
  ((await scim.get(`/Groups/${id}`).expect(200)).body.members ?? []).map(
    ({ value }: { value: string }) => value,
  );

describe('groups over SCIM', () => {
  it('finds a group by its name in any letter case, before and after it is renamed', async () => {
    const { scim } = await provider(await boot());
    const id = await pushGroup(scim, 'Sales North');
    const named = async (name: string) => {
      const filter = encodeURIComponent(`displayName eq "${name}"`);
      const { body } = await scim.get(`/Groups?filter=${filter}`).expect(200);
      return body.Resources.map((group: { id: string }) => group.id);
    };

    expect(await named('SALES north')).toEqual([id]);

    await scim
      .patch(`/Groups/${id}`)
      .send(operations({ op: 'replace', path: 'displayName', value: 'South' }));

    expect([await named('sales north'), await named('SOUTH')]).toEqual([[], [id]]);
  });

  it('give their members the roles that they are mapped to, and take them away', async () => {
    const booted = await boot();
    const { scim, id: directory } = await provider(booted);
    const [mia, tom] = [await pushUser(scim, 'mia@acme.example'), await pushUser(scim, 'max@acme.example')];
    const group = await pushGroup(scim, 'Support', [mia]);
    await assign(booted.api, directory, group);

    const moved = await toldBy(booted.api, () =>
      scim
        .patch(`/Groups/${group}`)
        .send(
          asText(
            operations(
              { op: 'remove', path: `members[value eq "${mia}"]` },
              { op: 'add', path: 'members', value: [{ value: tom }] },
            ),
          ),
        )
        .expect(200),
    );

    expect(await rolesOf(booted.api, 'mia@acme.example')).toEqual(['member']);
    expect(await rolesOf(booted.api, 'max@acme.example')).toEqual(['member', 'admin']);
    expect(typesOf(moved)).toEqual(
      expect.arrayContaining([
        'organization.directory.group_updated',
        'organization.directory.user_updated',
        'user.organization_membership_updated',
      ]),
    );
  });

  it('tell each member that the group is gone', async () => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);

    const events = await toldBy(booted.api, () =>
      scim.delete('/Groups/dirgroup_10000000000000612').expect(204),
    );

    expect(typesOf(events)).toEqual(
      expect.arrayContaining([
        'organization.directory.group_deleted',
        'organization.directory.user_updated',
        'user.organization_membership_updated',
      ]),
    );
    expect(await rolesOf(booted.api, 'ravi@acme.example')).toEqual(['member']);
  });

  it('may be pushed before their members', async () => {
    const booted = await boot();
    const { scim, id: directory } = await provider(booted);
    const group = await pushGroup(scim, 'Support', ['00u1mia', 'max@acme.example']);
    await assign(booted.api, directory, group);

    expect(await memberIds(scim, group)).toEqual(['00u1mia', 'max@acme.example']);
    const mia = await pushUser(scim, 'mia@acme.example', { externalId: '00u1mia' });

    expect(await memberIds(scim, group)).toEqual([mia, 'max@acme.example']);
    expect(await rolesOf(booted.api, 'mia@acme.example')).toEqual(['member', 'admin']);
    const max = await pushUser(scim, 'max@acme.example');
    expect(await memberIds(scim, group)).toEqual([mia, max]);
  });

  it.each([
    ['a filter', (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` })],
    ['a list', (id: string) => ({ op: 'Remove', path: 'members', value: [{ value: id }] })],
    [
      'a list with $ref',
      (id: string) => ({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] }),
    ],
  ])('lose members by %s', async (_, remove) => {
    const { scim } = await provider(await boot());
    const [mia, max] = [await pushUser(scim, 'mia@acme.example'), await pushUser(scim, 'max@acme.example')];
    const group = await pushGroup(scim, 'Support', [mia, max]);

    await scim
      .patch(`/Groups/${group}`)
      .send(asText(operations(remove(mia))))
      .expect(200);

    expect(await memberIds(scim, group)).toEqual([max]);
  });

  it('may name members by externalId and userName', async () => {
    const { scim } = await provider(await boot());
    const mia = await pushUser(scim, 'mia@acme.example', { externalId: '00u1mia' });
    const max = await pushUser(scim, 'max@acme.example');

    const group = await pushGroup(scim, 'Support', ['00u1mia', 'MAX@acme.example']);

    expect(await memberIds(scim, group)).toEqual([mia, max]);
  });

  it('are renamed and emptied by PUT', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const group = await pushGroup(scim, 'Support', [await pushUser(scim, 'mia@acme.example')]);

    const { body } = await scim
      .put(`/Groups/${group}`)
      .send(asText(aGroup('Help')))
      .expect(200);

    expect(body).toMatchObject({ displayName: 'Help' });
    expect(body).not.toHaveProperty('members');
  });

  it('have no groups as members', async () => {
    const { scim } = await provider(await boot());
    const group = await pushGroup(scim, 'Support');

    const { body } = await scim
      .post('/Groups')
      .send(asText(aGroup('All', [group])))
      .expect(400);

    expect(body).toMatchObject({
      scimType: 'invalidValue',
      detail: `members: ${group} is a group; groups have users as members`,
    });
  });

  it('are found by a member, and listed without members', async () => {
    const { scim } = await provider(await boot(), OKTA_ID);
    const ravi = 'diruser_10000000000000622';

    const found = await scim.get(
      `/Groups?filter=id eq "dirgroup_10000000000000612" and members eq "${ravi}"`,
    );
    const { body: light } = await scim.get('/Groups?excludedAttributes=members').expect(200);

    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ displayName: 'Finance' }] });
    expect(light.totalResults).toBe(2);
    for (const group of light.Resources) expect(group).not.toHaveProperty('members');
  });
});
