import { describe, expect, it } from 'vitest';
import { ACCOUNTS, create } from '../../../../test/support/accounts.ts';
import { boot } from '../../../../test/support/boot.ts';
import { ACME, SLACK_OF_ACME, SLACK_OF_NORDWIND } from '../../../../test/support/fixture-ids.ts';

describe('ConnectedAccountService_DeleteConnectedAccount', () => {
  it('deletes the account permanently and answers an empty object', async () => {
    const { api } = await boot({ fixture: 'small' });

    const deleted = await api.post(`${ACCOUNTS}:delete`).send({ id: SLACK_OF_ACME }).expect(200);

    expect(deleted.body).toEqual({});
    await api.get(`${ACCOUNTS}/auth?id=${SLACK_OF_ACME}`).expect(404);
    await api.post(`${ACCOUNTS}:delete`).send({ id: SLACK_OF_ACME }).expect(404);
    const list = await api.get(`${ACCOUNTS}?page_size=99`).expect(200);
    expect(list.body.total_size).toBe(9);
  });

  it('deletes its magic links and pending verifications', async () => {
    const { api, control } = await boot();
    const rows = async (name: string) => (await control.get(`/state/${name}`).expect(200)).body.rows;
    expect([await rows('magic_links'), await rows('auth_requests')]).toMatchObject([
      [{ connected_account_id: 'ca_10000000000000305' }],
      [{ connected_account_id: 'ca_10000000000000306' }, { connected_account_id: SLACK_OF_ACME }],
    ]);

    for (const id of ['ca_10000000000000305', 'ca_10000000000000306'])
      await api.post(`${ACCOUNTS}:delete`).send({ id }).expect(200);

    expect([await rows('magic_links'), await rows('auth_requests')]).toMatchObject([
      [],
      [{ connected_account_id: SLACK_OF_ACME }],
    ]);
    const verify = { auth_request_id: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: 'ada@acme.example' };
    await api.post(`${ACCOUNTS}/user/verify`).send(verify).expect(404);
  });

  it('frees the identifier', async () => {
    const { api } = await boot();
    const { id } = await create(api);
    await api.post(`${ACCOUNTS}:delete`).send({ id }).expect(200);

    const again = await create(api);

    expect(again.id).not.toBe(id);
  });
});

describe('a connected account of an organization or a user', () => {
  it('is deleted with the organization', async () => {
    const { api } = await boot();

    await api.delete(`/api/v1/organizations/${ACME}`).expect(200);

    const list = await api.get(`${ACCOUNTS}?organization_id=${ACME}`).expect(200);
    expect(list.body).toMatchObject({ connected_accounts: [], total_size: 0 });
    await api.get(`${ACCOUNTS}/auth?id=${SLACK_OF_ACME}`).expect(404);
    await api.get(`${ACCOUNTS}/auth?id=${SLACK_OF_NORDWIND}`).expect(200);
  });

  it('can reference an organization and a user that do not exist', async () => {
    const { api } = await boot();

    const account = await create(api, { organization_id: 'org_7', user_id: 'usr_7' });

    const list = await api.get(`${ACCOUNTS}?organization_id=org_7&user_id=usr_7`).expect(200);
    expect(list.body.connected_accounts).toMatchObject([{ id: account.id }]);
  });
});
