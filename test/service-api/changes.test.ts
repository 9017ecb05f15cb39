import { describe, expect, it } from 'vitest';
import { bootOnce } from '../support/boot.ts';
import { ACCOUNTS, ORGANIZATIONS } from './support.ts';
import { ACME, ADA, LENA, NORDWIND } from '../support/fixture-ids.ts';

const { same, fresh } = bootOnce();
const ROLES = `${ORGANIZATIONS}/${ACME}/roles`;
const MEMBERSHIPS = '/api/v1/memberships/organizations';
const NEW_ACCOUNT = { connector: 'gmail', identifier: 'new@acme.example', connected_account: {} };

describe('a change over several calls', () => {
  it('keeps what an update of an account does not name, and merges api_config', async () => {
    const { api } = await fresh();
    const made = { ...NEW_ACCOUNT, connected_account: { api_config: { a: 1, b: 1 } } };
    const { body } = await api.post(ACCOUNTS).send(made).expect(201);
    const { id } = body.connected_account;

    const changed = await api
      .put(ACCOUNTS)
      .send({ id, connected_account: { api_config: { b: 2 } } })
      .expect(200);

    expect(changed.body.connected_account).toMatchObject({
      connector: 'gmail',
      identifier: 'new@acme.example',
      api_config: { a: 1, b: 2 },
    });
  });

  it('refuses an account of the same name with 409', async () => {
    const { api } = await fresh();
    await api.post(ACCOUNTS).send(NEW_ACCOUNT).expect(201);

    await api.post(ACCOUNTS).send(NEW_ACCOUNT).expect(409);
  });

  it('never shows secrets in a list or a search', async () => {
    const { api } = await same();

    const list = await api.get(`${ACCOUNTS}?page_size=30`).expect(200);
    const found = await api.get(`${ACCOUNTS}:search?query=gmail`).expect(200);

    expect(list.text + found.text).not.toMatch(/access_token"|refresh_token"|static_auth/);
  });

  it('pages forwards and backwards with a total, and ends with an empty token', async () => {
    const { api } = await same();
    const page = async (token: string) =>
      (await api.get(`${ORGANIZATIONS}?page_size=1&page_token=${encodeURIComponent(token)}`).expect(200))
        .body;

    const first = await page('');
    const pages = [first];
    while (pages.at(-1).next_page_token) pages.push(await page(pages.at(-1).next_page_token));

    expect(first.prev_page_token).toBe('');
    expect(pages).toHaveLength(first.total_size);
    expect((await page(pages[1].prev_page_token)).organizations).toEqual(first.organizations);
  });

  it('moves the users of a deleted role to another, and takes away a user without a membership', async () => {
    const { api } = await fresh();
    await api.post(ROLES).send({ name: 'auditor', display_name: 'Auditor' }).expect(201);
    await api
      .patch(`${MEMBERSHIPS}/${ACME}/users/${ADA}`)
      .send({ roles: [{ name: 'auditor' }] })
      .expect(200);

    await api.delete(`${ROLES}/auditor?reassign_role_name=member`).expect(200);
    const { body } = await api.get(`/api/v1/users/${ADA}`).expect(200);
    await api.delete(`${MEMBERSHIPS}/${ACME}/users/${ADA}?cascade=true`).expect(200);

    expect(body.user.memberships[0].roles).toMatchObject([{ name: 'member' }]);
    await api.get(`/api/v1/users/${ADA}`).expect(404);
  });

  it('changes only the named fields of a role, and replaces all its permissions', async () => {
    const { api } = await fresh();
    await api.post('/api/v1/permissions').send({ name: 'a:read', description: 'A' }).expect(201);
    await api.post('/api/v1/permissions').send({ name: 'b:read', description: 'B' }).expect(201);
    const role = { name: 'auditor', display_name: 'Auditor', description: 'Reads', permissions: ['a:read'] };
    await api.post(ROLES).send(role).expect(201);

    await api
      .put(`${ROLES}/auditor`)
      .send({ permissions: ['b:read'] })
      .expect(200);
    const { body } = await api.get(`${ROLES}/auditor?include=permissions:all`).expect(200);

    expect(body.role).toMatchObject({
      description: 'Reads',
      permissions: [{ name: 'b:read', role_name: 'auditor' }],
    });
  });

  it('notes when an invitation was accepted', async () => {
    const { api, control } = await fresh();
    const params = { organization_id: NORDWIND, user_id: LENA };
    await control.post('/scenarios').send({ name: 'invite-accepted', params }).expect(201);

    const { body } = await api.get(`/api/v1/users/${LENA}`).expect(200);

    const accepted = { membership_status: 'ACTIVE', accepted_at: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(body.user.memberships).toMatchObject([accepted]);
  });

  it('shows permissions of roles only if asked, and lets nobody open a portal link twice or late', async () => {
    const { api, anonymous, control } = await fresh();
    const { text } = await api.get(ROLES).expect(200);
    const link = async () => {
      const { body } = await api.put(`${ORGANIZATIONS}/${ACME}/portal_links`).expect(200);
      return new URL(body.link.location).pathname + new URL(body.link.location).search;
    };
    const [used, late] = [await link(), await link()];

    const first = await anonymous.get(used);
    const second = await anonymous.get(used);
    await control.post('/clock/advance').send({ by: '61s' }).expect(200);
    const third = await anonymous.get(late);

    expect(text).not.toContain('"permissions":');
    expect([first.status < 400, second.status >= 400, third.status >= 400]).toEqual([true, true, true]);
  });
});
