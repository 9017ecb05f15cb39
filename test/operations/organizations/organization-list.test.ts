import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { invalid, refusal } from '../../support/violations.ts';

const PATH = '/api/v1/organizations';

async function create(api: Agent, wanted: object = { display_name: 'Acme' }): Promise<{ id: string }> {
  const { body } = await api.post(PATH).send(wanted).expect(201);
  return body.organization;
}

describe('OrganizationService_ListOrganization', () => {
  const names = (body: { organizations: { display_name: string }[] }) =>
    body.organizations.map((organization) => organization.display_name);

  async function bootWith(count: number) {
    const booted = await boot({ fixture: 'empty' });
    for (let i = 1; i <= count; i += 1) await create(booted.api, { display_name: `No ${i}` });
    return booted;
  }

  it('lists organizations newest first, ten per page, with the total', async () => {
    const { api } = await bootWith(11);

    const listed = await api.get(PATH).expect(200);

    expect(names(listed.body)).toEqual(Array.from({ length: 10 }, (_, i) => `No ${11 - i}`));
    expect(listed.body).toMatchObject({
      total_size: 11,
      prev_page_token: '',
      next_page_token: expect.stringMatching(/./),
    });
  });

  it('answers an empty page when there are no organizations', async () => {
    const { api } = await boot({ fixture: 'empty' });

    const listed = await api.get(PATH).expect(200);

    expect(listed.body).toEqual({
      organizations: [],
      total_size: 0,
      next_page_token: '',
      prev_page_token: '',
    });
  });

  it('pages forwards and backwards', async () => {
    const { api } = await bootWith(5);

    const first = await api.get(`${PATH}?page_size=2`).expect(200);
    const second = await api.get(`${PATH}?page_size=2&page_token=${first.body.next_page_token}`).expect(200);
    const third = await api.get(`${PATH}?page_size=2&page_token=${second.body.next_page_token}`).expect(200);
    const back = await api.get(`${PATH}?page_size=2&page_token=${third.body.prev_page_token}`).expect(200);

    expect([first, second, third].map(({ body }) => names(body))).toEqual([
      ['No 5', 'No 4'],
      ['No 3', 'No 2'],
      ['No 1'],
    ]);
    expect(third.body.next_page_token).toBe('');
    expect(back.body).toEqual(second.body);
  });

  it('keeps page tokens valid when the page size changes and rows are added or deleted', async () => {
    const { api } = await bootWith(5);
    const first = await api.get(`${PATH}?page_size=2`).expect(200);
    await create(api, { display_name: 'New' });
    await api.delete(`${PATH}/${first.body.organizations[1].id}`).expect(200);

    const second = await api.get(`${PATH}?page_size=5&page_token=${first.body.next_page_token}`).expect(200);

    expect(names(second.body)).toEqual(['No 3', 'No 2', 'No 1']);
    expect(second.body).toMatchObject({ total_size: 5, next_page_token: '' });
    const back = await api.get(`${PATH}?page_size=5&page_token=${second.body.prev_page_token}`).expect(200);
    expect(names(back.body)).toEqual(['New', 'No 5']);
  });

  it('pages backwards from a page whose rows were deleted', async () => {
    const { api } = await bootWith(3);
    const first = await api.get(`${PATH}?page_size=2`).expect(200);
    const last = await api.get(`${PATH}?page_token=${first.body.next_page_token}`).expect(200);
    await api.delete(`${PATH}/${last.body.organizations[0].id}`).expect(200);

    const empty = await api.get(`${PATH}?page_token=${first.body.next_page_token}`).expect(200);

    expect(empty.body).toMatchObject({ organizations: [], total_size: 2, next_page_token: '' });
    const back = await api.get(`${PATH}?page_token=${empty.body.prev_page_token}`).expect(200);
    expect(names(back.body)).toEqual(['No 3', 'No 2']);
  });

  it('reads page_size 0 as the default page size of the settings', async () => {
    const { api, control } = await bootWith(3);
    await control.patch('/state/settings/settings').send({ default_page_size: 2 }).expect(200);

    const pages = ['?page_size=1', '?page_size=0', '', '?page_size=3'];
    const sizes = await Promise.all(pages.map((query) => api.get(`${PATH}${query}`).expect(200)));

    expect(sizes.map(({ body }) => body.organizations.length)).toEqual([1, 2, 2, 3]);
  });

  it('answers at most 100 organizations per page', async () => {
    const { api } = await bootWith(101);

    const listed = await api.get(`${PATH}?page_size=1000`).expect(200);

    expect(listed.body.organizations).toHaveLength(100);
    expect(listed.body.total_size).toBe(101);
  });

  it.each(['zz', '%20', 'bjo', 'bjpaWg', 'bjowMQ', 'eyJvZmZzZXQiOjEwfQ', '-1'])(
    'refuses the page token %s',
    async (token) => {
      const { api } = await boot();

      const refused = await api.get(`${PATH}?page_token=${token}`).expect(400);

      expect(refused.body).toEqual(invalid('invalid page_token'));
    },
  );

  it('refuses a negative page size', async () => {
    const { api } = await boot();

    const refused = await api.get(`${PATH}?page_size=-1`).expect(400);

    const negative = {
      field: 'page_size',
      description: 'value must be greater than or equal to 0',
      constraint: 'uint32.gte',
    };
    expect(refused.body).toEqual(refusal(negative));
  });

  it('filters by external_id', async () => {
    const { api } = await boot();

    const found = await api.get(`${PATH}?external_id=crm-acme`).expect(200);
    const none = await api.get(`${PATH}?external_id=crm`).expect(200);

    expect(found.body).toMatchObject({ organizations: [{ id: 'org_10000000000000001' }], total_size: 1 });
    expect(none.body).toMatchObject({ organizations: [], total_size: 0 });
  });
});
