import { describe, expect, it } from 'vitest';
import { textSearch } from '../../src/operations/lists.ts';
import { page } from '../../src/rows/page.ts';
import { boot } from '../support/boot.ts';
import { OKTA_ID, provider } from '../support/scim.ts';
import { multiply } from '../support/turns.ts';

interface Named {
  name: string;
}

describe('A search in the texts of rows', () => {
  it('reads the texts of a row once, however often it is searched', () => {
    let read = 0;
    const search = textSearch<Named>(({ name }) => {
      read += 1;
      return [name, undefined];
    });
    const rows = ['Ada', 'Bo'].map((name) => ({ name }));

    const found = ['ADA', 'b', 'x'].map((wanted) => rows.filter(search(wanted)).length);

    expect(found).toEqual([1, 1, 0]);
    expect(read).toBe(rows.length);
  });

  it('finds no text that ends in one member and begins in another', () => {
    const search = textSearch<string[]>((texts) => texts);

    expect(search('a\nb')(['a', 'b'])).toBe(false);
  });

  it('compares each row once for a page', async () => {
    const { own } = await boot();
    let compared = 0;

    const { total_size } = page(own.tables.users, { size: 2, where: () => (compared += 1) > 0 });

    expect(compared).toBe(total_size);
  });
});

describe('A SCIM filter on an address', () => {
  it.each([
    'emails eq "PERSON-77@scale.example"',
    'emails.value eq "person-77@scale.example"',
    'emails[value eq "person-77@scale.example"]',
    'active eq true and emails[type eq "work" and value eq "person-77@scale.example"]',
  ])('reads only the users that have it: %s', async (filter) => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);
    multiply(booted, 'directory_users', 4000, (n) => ({
      email: `person-${n}@scale.example`,
      emails: [],
      preferred_username: `person-${n}`,
    }));
    const costOf = async (wanted: string) => {
      const begun = process.cpuUsage();
      const { body } = await scim.get(`/Users?filter=${encodeURIComponent(wanted)}`).expect(200);
      return { cost: process.cpuUsage(begun).user, names: body.Resources.map(nameOf) };
    };
    await costOf(filter);

    const { cost, names } = await costOf(filter);

    expect(names).toEqual(['person-77']);
    expect(cost).toBeLessThan((await costOf('name.formatted eq "nobody"')).cost / 2);
  });
});

describe('A SCIM filter that no index serves', () => {
  it('sees a user and a group as they are now, however often they were compared', async () => {
    const booted = await boot();
    const { scim } = await provider(booted, OKTA_ID);
    const found = async (list: string, filter: string) =>
      (await scim.get(`/${list}?filter=${encodeURIComponent(filter)}`).expect(200)).body.totalResults;
    const change = (path: string, row: object) =>
      booted.control.patch(`/state/${path}`).send(row).expect(200);

    expect(await found('Users', 'name.familyName eq "Byrne"')).toBe(1);
    expect(await found('Groups', 'displayName sw "engineer"')).toBe(1);
    await change('directory_users/diruser_10000000000000621', { family_name: 'Lovelace' });
    await change('directory_groups/dirgroup_10000000000000611', { display_name: 'Research' });

    expect(await found('Users', 'name.familyName eq "Byrne"')).toBe(0);
    expect(await found('Users', 'name.familyName eq "Lovelace"')).toBe(1);
    expect(await found('Groups', 'displayName sw "engineer"')).toBe(0);
    expect(await found('Groups', 'displayName sw "research"')).toBe(1);
  });
});

const nameOf = ({ userName }: { userName: string }) => userName;
